<?php
/**
 * Notices in wp-admin.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** What silently keeps mail from its way must be said aloud. */
final class Notices {

	/** Action admin_notices. */
	public static function show(): void {
		if ( ! current_user_can( Plugin::CAPABILITY ) ) {
			return;
		}
		$status = Status::read();
		if ( null === $status ) {
			return; // The page says it; here it would be said on every page of a shop that never wanted a queue.
		}
		if ( $status->is_left_alone() ) {
			$waiting = sprintf(
				/* translators: %s: number of mails */
				_n( '%s mail waits for a Postroom console, and none has been able to send for half an hour.', '%s mails wait for a Postroom console, and none has been able to send for half an hour.', $status->waiting, 'postroom-connector' ),
				number_format_i18n( $status->waiting )
			);
			self::say( 'error', $waiting . ' ' . __( 'New mail leaves the shop directly meanwhile. What waits is sent when a console comes back.', 'postroom-connector' ) );
		}
		if ( 'enabled' !== $status->settings->state ) {
			return;
		}
		if ( Status::wp_mail_is_foreign() ) {
			self::say( 'warning', __( 'Another plugin has replaced WordPress\'s function for sending mail (wp_mail). Its mails do not come to Postroom\'s queue and leave without a pace.', 'postroom-connector' ) );
		}
		if ( Status::woocommerce_defers() ) {
			self::say(
				'warning',
				__( 'WooCommerce\'s own "Deferred emails" are on. Mail then goes through two queues, one after the other: please turn them off.', 'postroom-connector' ),
				admin_url( 'admin.php?page=wc-settings&tab=advanced&section=features' ),
				__( 'Open the features', 'postroom-connector' )
			);
		}
	}

	/**
	 * Prints one.
	 *
	 * @param string $kind  One of error, warning.
	 * @param string $words What it says.
	 * @param string $url   Where it leads to.
	 * @param string $link  Words of the link.
	 */
	private static function say( string $kind, string $words, string $url = '', string $link = '' ): void {
		if ( '' === $url ) {
			$url  = Page::url();
			$link = __( 'Show the queue', 'postroom-connector' );
		}
		echo '<div class="notice notice-' . esc_attr( $kind ) . '"><p><strong>Postroom:</strong> ' . esc_html( $words )
			. ' <a href="' . esc_url( $url ) . '">' . esc_html( $link ) . '</a></p></div>';
	}
}
