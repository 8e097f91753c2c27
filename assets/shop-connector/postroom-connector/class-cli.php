<?php
/**
 * Commands of WP-CLI.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * Looks at the mail queue, and turns it on and off.
 */
final class Cli {

	/**
	 * Shows state, waiting and failed mails, and when a console was seen.
	 *
	 * ## OPTIONS
	 *
	 * [--format=<format>]
	 * : Either text (default) or json.
	 *
	 * @param string[]              $args    None.
	 * @param array<string, string> $options The format.
	 */
	public function status( $args = array(), $options = array() ): void {
		$status = Status::read();
		if ( null === $status ) {
			\WP_CLI::error( 'The queue\'s tables cannot be read, so all mail leaves directly.' );
			return;
		}
		$facts = array(
			'state'           => $status->settings->state,
			'waiting'         => $status->waiting,
			'failed'          => $status->failed,
			'console'         => $status->console,
			'console_seen'    => $status->seen,
			'console_able'    => $status->settings->console_is_able(),
			'wp_mail_foreign' => Status::wp_mail_is_foreign(),
			'version'         => VERSION,
		);
		if ( 'json' === ( $options['format'] ?? 'text' ) ) {
			\WP_CLI::line( Text::json( $facts ) );
			return;
		}
		foreach ( $facts as $name => $value ) {
			\WP_CLI::line( $name . ': ' . ( is_bool( $value ) ? ( $value ? 'yes' : 'no' ) : ( $value ?? 'never' ) ) );
		}
	}

	/**
	 * Puts mail into the queue from now on, as long as a console is able to send.
	 */
	public function enable(): void {
		self::move( true );
	}

	/**
	 * Lets new mail leave directly from now on; what waits is still sent by the console.
	 */
	public function disable(): void {
		self::move( false );
	}

	/**
	 * Moves the state and says where it stands.
	 *
	 * @param bool $enabled What is wanted.
	 */
	private static function move( bool $enabled ): void {
		$done   = Settings::enable( $enabled );
		$status = $done ? Settings::read() : null;
		if ( null === $status ) {
			\WP_CLI::error( 'The database refused.' );
			return;
		}
		\WP_CLI::success( 'The queue is ' . $status->state . '.' );
	}
}
