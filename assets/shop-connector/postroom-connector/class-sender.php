<?php
/**
 * Sender and type of a mail.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * They are not in what pre_wp_mail gets: WooCommerce's filters say them, and those are attached only while it sends. They get
 * fields of their own, since a shop's name with a "<" in it would break a header.
 */
final class Sender {

	/**
	 * What was resolved.
	 *
	 * @param string $address      Address of the From header.
	 * @param string $name         Its name.
	 * @param string $content_type As wp_mail() sets it, without charset.
	 * @param string $charset      '' = a ready multipart body, which says it itself.
	 */
	private function __construct(
		public readonly string $address,
		public readonly string $name,
		public readonly string $content_type,
		public readonly string $charset
	) {}

	/**
	 * Resolves them as wp_mail() does, with its own defaults.
	 *
	 * @param string|string[] $headers As handed to wp_mail().
	 */
	public static function of( $headers ): self {
		$found = self::read( $headers );
		// phpcs:disable WordPress.NamingConventions.PrefixAllGlobals -- WordPress's own filters.
		return new self(
			(string) apply_filters( 'wp_mail_from', $found['address'] ?? self::usual_address() ),
			(string) apply_filters( 'wp_mail_from_name', $found['name'] ?? 'WordPress' ),
			(string) apply_filters( 'wp_mail_content_type', $found['type'] ?? 'text/plain' ),
			(string) apply_filters( 'wp_mail_charset', $found['charset'] ?? get_bloginfo( 'charset' ) )
		);
		// phpcs:enable
	}

	/** WordPress's own sender. */
	private static function usual_address(): string {
		$host = (string) wp_parse_url( network_home_url(), PHP_URL_HOST );
		return 'wordpress@' . ( str_starts_with( $host, 'www.' ) ? substr( $host, 4 ) : $host );
	}

	/**
	 * What the headers say; the last of two says it.
	 *
	 * @param string|string[] $headers As handed to wp_mail().
	 * @return array<string, string>
	 */
	private static function read( $headers ): array {
		$found = array();
		$lines = is_array( $headers ) ? $headers : explode( "\n", str_replace( "\r\n", "\n", $headers ) );
		foreach ( $lines as $line ) {
			if ( ! is_string( $line ) || ! str_contains( $line, ':' ) ) {
				continue;
			}
			list( $name, $value ) = array_map( 'trim', explode( ':', trim( $line ), 2 ) );
			if ( 'from' === strtolower( $name ) ) {
				$found = array_merge( $found, self::from( $value ) );
			} elseif ( 'content-type' === strtolower( $name ) ) {
				$found = array_merge( $found, self::type( $value ) );
			}
		}
		return $found;
	}

	/**
	 * Reads a From header.
	 *
	 * @param string $value Its value.
	 * @return array<string, string>
	 */
	private static function from( string $value ): array {
		$bracket = strpos( $value, '<' );
		if ( false === $bracket ) {
			return '' === $value ? array() : array( 'address' => $value );
		}
		$found = array( 'address' => trim( str_replace( '>', '', substr( $value, $bracket + 1 ) ) ) );
		if ( $bracket > 0 ) {
			$found['name'] = trim( str_replace( '"', '', substr( $value, 0, $bracket ) ) );
		}
		return $found;
	}

	/**
	 * Reads a Content-Type header.
	 *
	 * @param string $value Its value.
	 * @return array<string, string>
	 */
	private static function type( string $value ): array {
		if ( ! str_contains( $value, ';' ) ) {
			return '' === $value ? array() : array( 'type' => $value );
		}
		list( $type, $more ) = explode( ';', $value );

		$found = array( 'type' => trim( $type ) );
		if ( false !== stripos( $more, 'charset=' ) ) {
			$found['charset'] = trim( str_replace( array( 'charset=', '"' ), '', $more ) );
		} elseif ( false !== stripos( $more, 'boundary=' ) ) {
			$found['charset'] = '';
		}
		return $found;
	}
}
