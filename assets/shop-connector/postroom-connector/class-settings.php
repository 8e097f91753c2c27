<?php
/**
 * State and settings.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * What the console and the operator want, read anew for each mail: one statement, and nobody has to wait for a cache. It
 * stands in a table of its own and not in wp_options, since what is written there from outside stays unseen behind an
 * object cache.
 */
final class Settings {

	/** Seconds since a console could send after which mail leaves directly, where nothing else is set. */
	const CONSOLE_TIMEOUT = 900;

	/**
	 * What was read.
	 *
	 * @param string             $state      One of enabled, draining, disabled.
	 * @param int|null           $idle       Seconds since a console was last able to send; null = none ever was.
	 * @param int                $timeout    Seconds of idleness after which nothing is queued.
	 * @param string[]           $handled    Mail type ids that are queued.
	 * @param array<string, int> $priorities Mail type id to priority.
	 */
	private function __construct(
		public readonly string $state,
		public readonly ?int $idle,
		public readonly int $timeout,
		public readonly array $handled,
		public readonly array $priorities
	) {}

	/** Null when the database does not say, and then nothing is queued. */
	public static function read(): ?self {
		$table = Database::table( 'settings' );
		$rows  = Database::rows(
			"SELECT (SELECT value FROM {$table} WHERE name = 'state') AS state,
			(SELECT value FROM {$table} WHERE name = 'settings') AS settings,
			(SELECT UNIX_TIMESTAMP() - MAX(able_at) FROM " . Database::table( 'consoles' ) . ') AS idle'
		);
		if ( ! isset( $rows[0] ) ) {
			return null;
		}
		$stored  = json_decode( (string) $rows[0]['settings'], true );
		$stored  = is_array( $stored ) ? $stored : array();
		$state   = json_decode( (string) $rows[0]['state'] ) ?? $rows[0]['state'];
		$timeout = $stored['console_timeout'] ?? null;
		return new self(
			in_array( $state, array( 'enabled', 'draining' ), true ) ? $state : 'disabled',
			null === $rows[0]['idle'] ? null : max( 0, (int) $rows[0]['idle'] ),
			is_numeric( $timeout ) ? (int) min( 86400, max( 60, (float) $timeout ) ) : self::CONSOLE_TIMEOUT,
			self::ids( $stored['handled_contexts'] ?? null ),
			self::numbers( $stored['priorities'] ?? null )
		);
	}

	/** Whether a console was able to send lately. */
	public function console_is_able(): bool {
		return null !== $this->idle && $this->idle <= $this->timeout;
	}

	/**
	 * Moves the state, as far as it is the shop's to move: draining becomes disabled by the console when all has left.
	 *
	 * @param bool $enabled What is wanted.
	 * @return bool False when the database refused.
	 */
	public static function enable( bool $enabled ): bool {
		$table = Database::table( 'settings' );
		$queue = Database::table( 'queue' );
		if ( $enabled ) {
			$sql = "INSERT INTO {$table} (name, value, updated_at) VALUES ('state', '\"enabled\"', UNIX_TIMESTAMP())
				ON DUPLICATE KEY UPDATE value = '\"enabled\"', updated_at = UNIX_TIMESTAMP()";
		} else {
			$sql = "UPDATE {$table} SET updated_at = UNIX_TIMESTAMP(), value =
				CASE WHEN EXISTS (SELECT 1 FROM {$queue} WHERE state IN ('pending', 'sending')) THEN '\"draining\"' ELSE '\"disabled\"' END
				WHERE name = 'state'";
		}
		return null !== Database::change( $sql );
	}

	/**
	 * The list of handled types, as the console reads it: nothing set means completed orders, an empty list means none.
	 *
	 * @param mixed $value As stored.
	 * @return string[]
	 */
	private static function ids( $value ): array {
		return is_array( $value ) && array_is_list( $value ) ? array_filter( $value, 'is_string' ) : array( 'customer_completed_order' );
	}

	/**
	 * Priorities within SMALLINT; what is no number is left out.
	 *
	 * @param mixed $value As stored.
	 * @return array<string, int>
	 */
	private static function numbers( $value ): array {
		$clean = array_filter( is_array( $value ) ? $value : array(), 'is_numeric' );
		return array_map( static fn( $number ) => (int) max( -32768, min( 32767, (float) $number ) ), $clean );
	}
}
