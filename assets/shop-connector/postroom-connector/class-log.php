<?php
/**
 * What the operator should know.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Lines in the queue's own log table, which the console shows, and in WooCommerce's log. Never throws. */
final class Log {

	/** Whether a line is being written: a logger of the shop that fails must not be told of by itself. */
	private static bool $writing = false;

	/**
	 * A warning.
	 *
	 * @param string $message In English, as all of the log table; without addresses.
	 */
	public static function warning( string $message ): void {
		if ( self::$writing ) {
			return;
		}
		self::$writing = true;
		try {
			$line = Text::line( Text::redacted( $message ), 1000 );
			Database::insert(
				'INSERT INTO ' . Database::table( 'log' ) . " (level, queue_id, message, created_at) VALUES ('warning', NULL, "
				. Database::text( 'Connector: ' . $line ) . ', UNIX_TIMESTAMP())'
			);
			if ( function_exists( 'wc_get_logger' ) ) {
				wc_get_logger()->warning( $line, array( 'source' => 'postroom-connector' ) );
			}
		} catch ( \Throwable $error ) {
			unset( $error ); // A line less.
		} finally {
			self::$writing = false;
		}
	}

	/**
	 * A fault of ours that was caught.
	 *
	 * @param \Throwable $error What was thrown.
	 */
	public static function fault( \Throwable $error ): void {
		try {
			self::warning( sprintf( '%s (%s:%d)', $error->getMessage(), basename( $error->getFile() ), $error->getLine() ) );
		} catch ( \Throwable $again ) {
			unset( $again ); // Not even the class is there.
		}
	}
}
