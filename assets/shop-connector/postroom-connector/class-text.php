<?php
/**
 * Hostile text made harmless.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Pure functions over strings; none needs the mbstring extension. */
final class Text {

	/**
	 * Well-formed UTF-8: what is none becomes U+FFFD.
	 *
	 * @param string $text Any bytes.
	 */
	public static function valid( string $text ): string {
		if ( 1 === preg_match( '//u', $text ) ) {
			return $text;
		}
		return (string) json_decode( self::json( $text ) );
	}

	/**
	 * One line of at most so many characters, fit for a column.
	 *
	 * @param string $text  Any bytes.
	 * @param int    $limit Characters.
	 */
	public static function line( string $text, int $limit ): string {
		$line = trim( (string) preg_replace( '/[\p{Cc}\x{2028}\x{2029}]+/u', ' ', self::valid( $text ) ) );
		return (string) preg_replace( '/^(.{' . $limit . '}).*$/us', '$1', $line );
	}

	/**
	 * JSON in pure ASCII.
	 *
	 * @param mixed $value What JSON can hold; invalid UTF-8 is substituted.
	 * @throws \JsonException When it holds something else.
	 */
	public static function json( $value ): string {
		return json_encode( $value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR ); // phpcs:ignore WordPress.WP.AlternativeFunctions
	}

	/**
	 * The same text without addresses: order notes and logs are read by more people than the customer list.
	 *
	 * @param string $text Any text.
	 */
	public static function redacted( string $text ): string {
		return (string) preg_replace( '/[^\s<>"\'(),:;=@]+@[^\s<>"\'(),:;=@]+/u', '[redacted]', self::valid( $text ) );
	}
}
