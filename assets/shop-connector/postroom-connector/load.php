<?php
/**
 * Finds the connector's classes and starts it.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

const VERSION = '0.1.0';

// A class is read when it is first needed. A file that is missing (an upload that broke off) makes an Error, which every
// hook of ours catches, and no fatal.
spl_autoload_register(
	static function ( $name ) {
		if ( 0 !== strpos( $name, __NAMESPACE__ . '\\' ) ) {
			return;
		}
		$short = strtolower( str_replace( '_', '-', substr( $name, strlen( __NAMESPACE__ ) + 1 ) ) );
		$file  = __DIR__ . '/class-' . $short . '.php';
		if ( is_readable( $file ) ) {
			require_once $file;
		}
	}
);

try {
	Plugin::start();
} catch ( \Throwable $error ) { // phpcs:ignore Generic.CodeAnalysis.EmptyStatement.DetectedCatch
	// The shop goes on without us.
	unset( $error );
}
