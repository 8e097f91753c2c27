<?php
/**
 * Translations.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Loads the words of the language that is spoken now. */
final class Words {

	/** Locale that was loaded last. */
	private static string $loaded = '';

	/** By the full path: load_muplugin_textdomain() would look for the folder beside the stub only. */
	public static function load(): void {
		$locale = determine_locale();
		if ( self::$loaded === $locale ) {
			return;
		}
		self::$loaded = $locale;
		$file         = __DIR__ . '/languages/postroom-connector-' . $locale . '.mo';
		if ( is_readable( $file ) ) {
			load_textdomain( 'postroom-connector', $file );
		}
	}
}
