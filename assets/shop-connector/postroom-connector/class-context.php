<?php
/**
 * Which of WooCommerce's mails wp_mail() is sending.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * What pre_wp_mail cannot see: it is kept from woocommerce_mail_callback on, consumed once, and only by the mail that it was
 * kept for. A mailer that takes WooCommerce's place never comes to wp_mail(): without the fingerprint the next password
 * reset of the request would be taken for that order's mail.
 */
final class Context {

	/** The mail that has begun. */
	private static ?Mail $begun = null;

	/** Id of the mail type that was queued last; null = the last mail was not queued. */
	private static ?string $queued = null;

	/**
	 * Filter woocommerce_mail_callback: a mail begins, and what was before it is over.
	 *
	 * @param mixed $callback Returned as it is.
	 * @param mixed $email    WC_Email.
	 * @return mixed
	 */
	public static function begin( $callback, $email = null ) {
		self::$begun  = null;
		self::$queued = null;
		if ( is_object( $email ) ) {
			self::$begun = Mail::of( $email );
		}
		return $callback;
	}

	/**
	 * Filter woocommerce_mail_callback_params: what wp_mail() is going to be called with.
	 *
	 * @param mixed $params Returned as they are: to, subject (decoded), message, headers, attachments.
	 * @return mixed
	 */
	public static function expect( $params ) {
		if ( null !== self::$begun && is_array( $params ) ) {
			self::$begun->to      = $params[0] ?? null;
			self::$begun->subject = is_scalar( $params[1] ?? null ) ? (string) $params[1] : null;
		}
		return $params;
	}

	/**
	 * The mail that is being sent, taken away; null = none of WooCommerce's. It is not one of WooCommerce's any more when a
	 * wp_mail filter has changed recipient or subject: then a line tells which, since nothing else would.
	 *
	 * @param array<string, mixed> $atts What wp_mail() got, after its filters.
	 */
	public static function consume( array $atts ): ?Mail {
		$mail        = self::$begun;
		self::$begun = null;
		if ( null === $mail ) {
			return null;
		}
		$differs = array();
		if ( self::flat( $mail->to ) !== self::flat( $atts['to'] ?? null ) ) {
			$differs[] = 'recipient';
		}
		if ( self::flat( $mail->subject ) !== self::flat( $atts['subject'] ?? null ) ) {
			$differs[] = 'subject';
		}
		if ( array() === $differs ) {
			return $mail;
		}
		Log::warning(
			sprintf(
				'%s was not queued: on its way to wp_mail() something changed its %s (a filter on wp_mail, or another mailer)',
				$mail->id,
				implode( ' and its ', $differs )
			)
		);
		return null;
	}

	/**
	 * The mail was queued: until the next one begins, its early note and line are not written.
	 *
	 * @param string $id Mail type.
	 */
	public static function mark_queued( string $id ): void {
		self::$queued = $id;
	}

	/** Actions woocommerce_email_disabled and _skipped: what is logged next is no queued mail. */
	public static function forget_queued(): void {
		self::$queued = null;
	}

	/**
	 * Filters woocommerce_email_log_enabled and _add_order_note: WooCommerce would note a mail as sent that only waits. By
	 * the mail that was queued and not by its type: one that left at once is noted by WooCommerce.
	 *
	 * @param mixed $enabled What the shop wants.
	 * @param mixed $id      Mail type.
	 * @return mixed
	 */
	public static function unless_queued( $enabled, $id = '' ) {
		return null !== self::$queued && (string) $id === self::$queued ? false : $enabled;
	}

	/**
	 * A list and its comma form are the same recipients.
	 *
	 * @param mixed $value String or list of strings.
	 */
	private static function flat( $value ): ?string {
		if ( is_array( $value ) ) {
			return implode( ',', array_map( 'trim', array_filter( $value, 'is_scalar' ) ) );
		}
		return is_scalar( $value ) ? implode( ',', array_map( 'trim', explode( ',', (string) $value ) ) ) : null;
	}
}
