<?php
/**
 * What is done once a minute.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** By WordPress's cron, and when somebody opens wp-admin: a shop whose cron stands still gets its notes, too. */
final class Minute {

	/** Cron event. */
	const HOOK = 'postroom_connector_minute';

	/** Name of its interval. */
	const INTERVAL = 'postroom_minute';

	/** Rows that are told of in one run of the cron; a shop at the highest cap sends 60 a minute. */
	const MANY = 200;

	/** Rows that are told of while somebody waits for a page of wp-admin. */
	const FEW = 20;

	/**
	 * Filter cron_schedules.
	 *
	 * @param mixed $schedules Intervals by name.
	 * @return mixed
	 */
	public static function schedules( $schedules ) {
		if ( is_array( $schedules ) ) {
			$schedules[ self::INTERVAL ] = array(
				'interval' => MINUTE_IN_SECONDS,
				'display'  => 'Postroom', // A name, not translated: it is asked for before the languages are there.
			);
		}
		return $schedules;
	}

	/** Action init: an event that was lost comes back. */
	public static function keep_scheduled(): void {
		if ( ! wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_event( time(), self::INTERVAL, self::HOOK );
		}
	}

	/** The cron event. */
	public static function run(): void {
		// An operator may have removed the tables behind a cache that still says that they are there.
		if ( ! Schema::is_there() ) {
			Schema::install();
		}
		Mail_Types::publish();
		Notifier::run( self::MANY, 20.0 );
	}

	/** Action admin_init: at most once a minute, and briefly. */
	public static function run_throttled(): void {
		if ( wp_doing_ajax() || get_transient( self::HOOK ) ) {
			return;
		}
		set_transient( self::HOOK, 1, MINUTE_IN_SECONDS );
		// In the shop's language, not in that of whoever has opened the page; titles are in the one that WooCommerce has spoken.
		if ( determine_locale() === get_locale() ) {
			Mail_Types::publish();
			Notifier::run( self::FEW, 2.0 );
		} elseif ( switch_to_locale( get_locale() ) ) {
			try {
				Notifier::run( self::FEW, 2.0 );
			} finally {
				restore_previous_locale();
			}
		}
	}
}
