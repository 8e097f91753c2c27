<?php
/**
 * How things stand.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** For the page, the notices and the command line. */
final class Status {

	/** Seconds without a console after which waiting mail is worth a notice. */
	const ALONE = 1800;

	/**
	 * What was read.
	 *
	 * @param Settings $settings State, and since when no console could send.
	 * @param int      $waiting  Rows that wait or are being sent.
	 * @param int      $failed   Rows that failed or are in doubt.
	 * @param ?int     $seen     Seconds since a console was seen at all; null = none ever was.
	 * @param string   $console  Its name.
	 */
	private function __construct(
		public readonly Settings $settings,
		public readonly int $waiting,
		public readonly int $failed,
		public readonly ?int $seen,
		public readonly string $console
	) {}

	/** Null when the tables cannot be read. */
	public static function read(): ?self {
		$queue    = Database::table( 'queue' );
		$consoles = Database::table( 'consoles' );
		$settings = Settings::read();
		$rows     = Database::rows(
			"SELECT (SELECT COUNT(*) FROM {$queue} WHERE state IN ('pending', 'sending')) AS waiting,
			(SELECT COUNT(*) FROM {$queue} WHERE state = 'failed') AS failed,
			(SELECT UNIX_TIMESTAMP() - MAX(seen_at) FROM {$consoles}) AS seen,
			(SELECT name FROM {$consoles} ORDER BY seen_at DESC LIMIT 1) AS console"
		);
		if ( null === $settings || ! isset( $rows[0] ) ) {
			return null;
		}
		return new self(
			$settings,
			(int) $rows[0]['waiting'],
			(int) $rows[0]['failed'],
			null === $rows[0]['seen'] ? null : max( 0, (int) $rows[0]['seen'] ),
			(string) $rows[0]['console']
		);
	}

	/** Mail waits, and nobody has come for half an hour. */
	public function is_left_alone(): bool {
		return $this->waiting > 0 && ( null === $this->settings->idle || $this->settings->idle >= self::ALONE );
	}

	/** Whether another plugin has taken wp_mail()'s place: then its filters are not asked, and we neither. */
	public static function wp_mail_is_foreign(): bool {
		$file = ( new \ReflectionFunction( 'wp_mail' ) )->getFileName();
		return is_string( $file ) && wp_normalize_path( $file ) !== wp_normalize_path( ABSPATH . WPINC . '/pluggable.php' );
	}

	/** WooCommerce's own queue of mails (since 10.8), which has no cap. */
	public static function woocommerce_defers(): bool {
		$features = 'Automattic\WooCommerce\Utilities\FeaturesUtil';
		$on       = class_exists( $features ) && $features::feature_is_enabled( 'deferred_transactional_emails' );
		return (bool) apply_filters( 'woocommerce_defer_transactional_emails', $on ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
	}
}
