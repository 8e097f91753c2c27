<?php
/**
 * WordPress's own connection, used so that nobody notices.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * Statements over $wpdb. The connection is the shop's: if it has a transaction open, ours shares its fate. Nothing here
 * begins, commits or locks anything.
 */
final class Database {

	/**
	 * The full name of one of the queue's tables.
	 *
	 * @param string $name One of queue, log, attempts, pace, settings, consoles.
	 */
	public static function table( string $name ): string {
		global $wpdb;
		return $wpdb->prefix . 'studiou_wcmq_' . $name;
	}

	/**
	 * Rows of a SELECT.
	 *
	 * @param string $sql Complete statement.
	 * @return array<int, array<string, mixed>>|null null = the database refused.
	 */
	public static function rows( string $sql ): ?array {
		return self::quietly(
			static function ( $wpdb ) use ( $sql ) {
				// Not get_results(): it answers an empty list for a refusal, too.
				if ( false === $wpdb->query( $sql ) ) { // phpcs:ignore WordPress.DB
					return null;
				}
				return array_map( 'get_object_vars', (array) $wpdb->last_result );
			}
		);
	}

	/**
	 * The number of rows that a statement changed; null = the database refused.
	 *
	 * @param string $sql Complete statement.
	 */
	public static function change( string $sql ): ?int {
		return self::quietly(
			static function ( $wpdb ) use ( $sql ) {
				$done = $wpdb->query( $sql ); // phpcs:ignore WordPress.DB
				return is_int( $done ) ? $done : null;
			}
		);
	}

	/**
	 * The id of an inserted row, 0 = the database refused. Who looks at $wpdb->insert_id afterwards finds his own.
	 *
	 * @param string $sql Complete INSERT of one row.
	 */
	public static function insert( string $sql ): int {
		global $wpdb;
		$theirs = $wpdb->insert_id;
		$made   = 1 === self::change( $sql ) ? (int) $wpdb->insert_id : 0;

		$wpdb->insert_id = $theirs;
		return $made;
	}

	/**
	 * Text as an expression of pure ASCII: whatever charset the connection speaks (a shop of 2010 speaks latin1), it arrives.
	 *
	 * @param string $text Anything; what is no UTF-8 in it is replaced.
	 */
	public static function text( string $text ): string {
		$clean = Text::valid( $text );
		return '' === $clean ? "''" : 'CONVERT(0x' . bin2hex( $clean ) . ' USING utf8mb4)';
	}

	/**
	 * Runs work with $wpdb while it neither prints nor logs errors.
	 *
	 * @param callable $work Gets $wpdb.
	 * @return mixed What the work answers.
	 */
	public static function quietly( callable $work ) {
		global $wpdb;
		$before = $wpdb->suppress_errors( true );
		try {
			return $work( $wpdb );
		} finally {
			$wpdb->suppress_errors( $before );
		}
	}
}
