<?php
/**
 * The decision about each mail.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Filter pre_wp_mail. */
final class Interceptor {

	/**
	 * Exactly true when the mail waits in the queue, and only after its row was written. In every other case what was
	 * handed in: null lets wp_mail() send.
	 *
	 * @param mixed $decided What an earlier filter made of it: true = it has sent the mail, false = it has failed.
	 * @param mixed $atts    What wp_mail() got.
	 * @return mixed
	 */
	public static function decide( $decided, $atts = array() ) {
		if ( ! is_array( $atts ) ) {
			return $decided;
		}
		// First of all, whatever comes of it: the next mail of this request must not find this one's context.
		$mail = Context::consume( $atts );
		if ( null !== $decided || null === $mail || $mail->test ) {
			return $decided;
		}
		$settings = Settings::read();
		if ( null === $settings || 'enabled' !== $settings->state || ! $settings->console_is_able()
			|| ! in_array( $mail->id, $settings->handled, true ) ) {
			return null;
		}
		return self::queue( $mail, $atts, $settings ) ? true : null;
	}

	/**
	 * Whether its row was written.
	 *
	 * @param Mail                 $mail     What WooCommerce knows of it.
	 * @param array<string, mixed> $atts     What wp_mail() got.
	 * @param Settings             $settings What the console wants.
	 */
	private static function queue( Mail $mail, array $atts, Settings $settings ): bool {
		$text  = new Text_Part( $mail->email );
		$files = new Attachments();
		try {
			$snapshot = Snapshot::of( $mail, $atts, $text, $files );
			$written  = Queue::insert( $mail, $snapshot, $files->folder(), $settings->priorities[ $mail->id ] ?? 10 );
			if ( ! $written ) {
				throw new Leaves_Now( 'the database refused its row' );
			}
		} catch ( \Throwable $why ) {
			// As it was: wp_mail() goes on with this very mail.
			$text->give_back();
			$files->remove();
			Log::warning( sprintf( '%s was not queued and leaves directly: %s', $mail->id, $why->getMessage() ) );
			return false;
		}
		Context::mark_queued( $mail->id );
		return true;
	}
}
