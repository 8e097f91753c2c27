<?php
/**
 * No fault of ours may become the shop's.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Wraps what is hung on hooks. */
final class Safely {

	/**
	 * A filter that answers what it was handed when the work throws.
	 *
	 * @param callable $work Gets what the filter gets.
	 */
	public static function filter( callable $work ): callable {
		return static function ( ...$args ) use ( $work ) {
			try {
				return $work( ...$args );
			} catch ( \Throwable $error ) {
				Log::fault( $error );
				return $args[0] ?? null;
			}
		};
	}

	/**
	 * An action that ends quietly when the work throws.
	 *
	 * @param callable $work Gets what the action gets.
	 */
	public static function action( callable $work ): callable {
		return static function ( ...$args ) use ( $work ) {
			try {
				$work( ...$args );
			} catch ( \Throwable $error ) {
				Log::fault( $error );
			}
		};
	}
}
