<?php
/**
 * A mail of WooCommerce's that is on its way.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** What only WooCommerce's mail object knows, read when it sends: its id and its title change from mail to mail. */
final class Mail {

	/**
	 * Ids that exist at run time and that WooCommerce does not list: the refund mail takes the other one for a part of the
	 * money. To be looked at again with each major version of WooCommerce.
	 */
	const ALIASES = array( 'customer_partially_refunded_order' => 'customer_refunded_order' );

	/**
	 * Recipients as WooCommerce hands them to wp_mail(); null = it has not come so far.
	 *
	 * @var string|string[]|null
	 */
	public $to = null;

	/** Subject as WooCommerce hands it to wp_mail(). */
	public ?string $subject = null;

	/**
	 * What was read of the mail object.
	 *
	 * @param object $email     WC_Email.
	 * @param string $id        Mail type, such as customer_completed_order.
	 * @param string $title     Its title for people.
	 * @param int    $order_id  0 = it belongs to no order.
	 * @param string $order_url Where the order is edited, '' without one.
	 * @param bool   $test      WooCommerce's "send test email": about nothing that exists.
	 */
	private function __construct(
		public readonly object $email,
		public readonly string $id,
		public readonly string $title,
		public readonly int $order_id,
		public readonly string $order_url,
		public readonly bool $test
	) {}

	/**
	 * Reads it.
	 *
	 * @param object $email WC_Email.
	 */
	public static function of( object $email ): self {
		$object   = $email->object ?? null;
		$order_id = is_a( $object, 'WC_Order' ) ? (int) $object->get_id() : 0;
		$title    = is_callable( array( $email, 'get_title' ) ) ? $email->get_title() : ( $email->title ?? '' );
		return new self(
			$email,
			(string) ( $email->id ?? '' ),
			wp_strip_all_tags( (string) $title ),
			max( 0, $order_id ),
			$order_id > 0 ? (string) $object->get_edit_order_url() : '',
			self::is_test( $object )
		);
	}

	/**
	 * A test goes through send() with the real type's id, about an order or a person of the id 0.
	 *
	 * @param mixed $thing What the mail is about.
	 */
	private static function is_test( $thing ): bool {
		if ( apply_filters( 'woocommerce_is_email_preview', false ) ) { // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
			return true;
		}
		if ( is_a( $thing, 'WC_Order' ) ) {
			return 0 === (int) $thing->get_id();
		}
		return is_a( $thing, 'WP_User' ) && 0 === (int) $thing->ID;
	}
}
