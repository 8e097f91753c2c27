<?php
/**
 * The tables.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * The same tables that the console makes (src-main/queue/tables.ts), in the one spelling that dbDelta reads silently: one
 * space before a type, types in lower case and with their display width, two spaces after PRIMARY KEY.
 */
final class Schema {

	/** Raised whenever the tables change. */
	const VERSION = '1';

	/** WordPress option with the version that was installed; autoloaded, since every request asks. */
	const OPTION = 'studiou_wcmq_db_version';

	/** Installs where this version was not installed yet. Where it may not, not every request tries again. */
	public static function install_if_older(): void {
		if ( get_option( self::OPTION ) === self::VERSION || get_transient( self::OPTION ) ) {
			return;
		}
		self::install();
		if ( get_option( self::OPTION ) !== self::VERSION ) {
			set_transient( self::OPTION, 1, 5 * MINUTE_IN_SECONDS );
		}
	}

	/**
	 * Creates what lacks.
	 *
	 * @return string[] What dbDelta changed, in its words.
	 */
	public static function install(): array {
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		return Database::quietly(
			static function ( $wpdb ) {
				$changes = dbDelta( self::statements() );
				$pace    = $wpdb->query( 'INSERT IGNORE INTO ' . Database::table( 'pace' ) . ' (id, last_start_ms) VALUES (1, 0)' ); // phpcs:ignore WordPress.DB
				// Where a table could not be made, it is tried again.
				if ( false !== $pace && self::is_there() ) {
					update_option( self::OPTION, self::VERSION, true );
				}
				return array_values( $changes );
			}
		);
	}

	/** Whether the shop may write rows: all that an INSERT and the gate read. */
	public static function is_there(): bool {
		foreach ( array( 'queue', 'log', 'attempts', 'pace', 'settings', 'consoles' ) as $name ) {
			if ( null === Database::rows( 'SELECT 1 FROM ' . Database::table( $name ) . ' LIMIT 1' ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Statements for dbDelta.
	 *
	 * @return string[]
	 */
	public static function statements(): array {
		$tables     = array(
			'queue'    => "id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
context varchar(100) NOT NULL DEFAULT '',
order_id bigint(20) unsigned NOT NULL DEFAULT 0,
recipient varchar(320) NOT NULL DEFAULT '',
subject text NOT NULL,
payload longtext NOT NULL,
attachment_dir char(32) NULL,
priority smallint(6) NOT NULL DEFAULT 10,
state varchar(20) NOT NULL DEFAULT 'pending',
attempts tinyint(3) unsigned NOT NULL DEFAULT 0,
reclaims tinyint(3) unsigned NOT NULL DEFAULT 0,
last_error text NULL,
scheduled_at bigint(20) NOT NULL DEFAULT 0,
claimed_at bigint(20) NULL,
sent_at bigint(20) NULL,
created_at bigint(20) NOT NULL DEFAULT 0,
title varchar(200) NOT NULL DEFAULT '',
claim_id char(36) NULL,
message_id varchar(255) NULL,
delivered_to text NULL,
in_doubt tinyint(4) NOT NULL DEFAULT 0,
held_until bigint(20) NULL,
notified_at bigint(20) NULL,
PRIMARY KEY  (id),
KEY state_sched (state,scheduled_at),
KEY state_claim (state,claimed_at),
KEY created_at (created_at),
KEY order_id (order_id),
KEY claim_order (state,priority,scheduled_at,id)",
			'log'      => "id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
level varchar(10) NOT NULL DEFAULT 'info',
queue_id bigint(20) unsigned NULL,
message text NOT NULL,
created_at bigint(20) NOT NULL DEFAULT 0,
PRIMARY KEY  (id),
KEY created_at (created_at),
KEY level (level)",
			'attempts' => "id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
queue_id bigint(20) unsigned NOT NULL DEFAULT 0,
console_id char(36) NOT NULL DEFAULT '',
claim_id char(36) NOT NULL DEFAULT '',
started_ms bigint(20) NOT NULL DEFAULT 0,
body_ms bigint(20) NULL,
finished_ms bigint(20) NULL,
recipients int(11) NOT NULL DEFAULT 1,
outcome varchar(20) NULL,
smtp_code smallint(6) NULL,
enhanced_code varchar(12) NULL,
response text NULL,
server_id varchar(128) NULL,
message_id varchar(255) NULL,
PRIMARY KEY  (id),
KEY queue_id (queue_id),
KEY claim_id (claim_id),
KEY finished (finished_ms,recipients)",
			'pace'     => 'id tinyint(4) NOT NULL DEFAULT 1,
last_start_ms bigint(20) NOT NULL DEFAULT 0,
learned_interval_ms bigint(20) NULL,
paused_until bigint(20) NULL,
pause_reason text NULL,
PRIMARY KEY  (id)',
			'settings' => 'name varchar(64) NOT NULL,
value ' . self::json_type() . ' NOT NULL,
updated_at bigint(20) NOT NULL DEFAULT 0,
PRIMARY KEY  (name)',
			'consoles' => "id char(36) NOT NULL,
name varchar(100) NOT NULL DEFAULT '',
version varchar(40) NOT NULL DEFAULT '',
seen_at bigint(20) NOT NULL DEFAULT 0,
able_at bigint(20) NULL,
PRIMARY KEY  (id)",
		);
		$statements = array();
		foreach ( $tables as $name => $lines ) {
			// Recipients and subjects hold emoji, whatever the shop's own charset is.
			$statements[] = 'CREATE TABLE ' . Database::table( $name ) . " (\n{$lines}\n) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4";
		}
		return $statements;
	}

	/**
	 * MariaDB's json is a longtext with a check and is described as longtext; MySQL's is a type of its own. dbDelta compares
	 * words: a table that is there is spelled as it describes itself.
	 */
	private static function json_type(): string {
		foreach ( Database::rows( 'DESCRIBE ' . Database::table( 'settings' ) ) ?? array() as $column ) {
			if ( 'value' === $column['Field'] ) {
				return (string) $column['Type'];
			}
		}
		return 'json';
	}
}
