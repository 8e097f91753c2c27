<?php
/**
 * Plugin Name: Postroom connector
 * Description: Puts WooCommerce's mail into the queue that a Postroom console drains at a steady pace.
 * Version: 0.1.0
 * Requires PHP: 8.2
 * License: MIT
 * Text Domain: postroom-connector
 *
 * WordPress loads only the files that stand directly in mu-plugins: this one stands there, the folder of its name beside it.
 * It must parse on every PHP, since an older one than the folder needs must not break the shop.
 *
 * @package Postroom\Connector
 */

defined( 'ABSPATH' ) || exit;

if ( PHP_VERSION_ID >= 80200 && is_readable( __DIR__ . '/postroom-connector/load.php' ) ) {
	require_once __DIR__ . '/postroom-connector/load.php';
}
