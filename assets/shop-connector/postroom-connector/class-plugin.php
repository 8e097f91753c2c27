<?php
/**
 * Hangs everything on its hook.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** The one place that knows which hook belongs to whom. */
final class Plugin {

	/** The capability that sees our page and may stop the queue: whoever manages the shop. */
	const CAPABILITY = 'manage_woocommerce';

	/** A must-use plugin is loaded before WooCommerce: nothing but this hook is ours until then. */
	public static function start(): void {
		add_action( 'plugins_loaded', Safely::action( array( __CLASS__, 'boot' ) ), 20 );
	}

	/** Without WooCommerce there is nothing to do, not even tables; while WordPress itself is installed, there are none of its own. */
	public static function boot(): void {
		if ( wp_installing() || ! class_exists( 'WooCommerce', false ) ) {
			return;
		}
		self::mail();
		self::minute();
		// Early: creating a table commits what is open, so nobody may have begun anything yet.
		add_action( 'init', Safely::action( array( Schema::class, 'install_if_older' ) ), 1 );
		if ( is_admin() ) {
			self::admin();
		}
		if ( defined( 'WP_CLI' ) && class_exists( 'WP_CLI' ) ) {
			\WP_CLI::add_command( 'postroom', Cli::class );
		}
	}

	/** The way of one mail, in the order in which WooCommerce fires it. */
	private static function mail(): void {
		// Last of all: we look at what the others made of it.
		add_filter( 'woocommerce_mail_callback', Safely::filter( array( Context::class, 'begin' ) ), PHP_INT_MAX, 2 );
		add_filter( 'woocommerce_mail_callback_params', Safely::filter( array( Context::class, 'expect' ) ), PHP_INT_MAX, 2 );
		// Last as well: whoever sends by himself has done so by now, and nobody after us sends what we have queued.
		add_filter( 'pre_wp_mail', Safely::filter( array( Interceptor::class, 'decide' ) ), PHP_INT_MAX, 2 );
		add_filter( 'woocommerce_email_log_enabled', Safely::filter( array( Context::class, 'unless_queued' ) ), PHP_INT_MAX, 2 );
		add_filter( 'woocommerce_email_log_add_order_note', Safely::filter( array( Context::class, 'unless_queued' ) ), PHP_INT_MAX, 2 );
		// A mail that is not sent at all never comes to begin(), but to the logger it does. Before the logger's 10.
		add_action( 'woocommerce_email_disabled', Safely::action( array( Context::class, 'forget_queued' ) ), 1 );
		add_action( 'woocommerce_email_skipped', Safely::action( array( Context::class, 'forget_queued' ) ), 1 );
	}

	/** What is done once a minute. */
	private static function minute(): void {
		add_filter( 'cron_schedules', Safely::filter( array( Minute::class, 'schedules' ) ) ); // phpcs:ignore WordPress.WP.CronInterval
		add_action( 'init', Safely::action( array( Minute::class, 'keep_scheduled' ) ), 20 );
		add_action( Minute::HOOK, Safely::action( array( Minute::class, 'run' ) ) );
		add_action( 'admin_init', Safely::action( array( Minute::class, 'run_throttled' ) ) );
	}

	/** The page and the notices of wp-admin. */
	private static function admin(): void {
		add_action( 'admin_init', Safely::action( array( Words::class, 'load' ) ), 1 );
		add_action( 'admin_menu', Safely::action( array( Page::class, 'add' ) ), 70 );
		add_action( 'admin_post_' . Page::DISABLE, Safely::action( array( Page::class, 'disable' ) ) );
		add_action( 'admin_notices', Safely::action( array( Notices::class, 'show' ) ) );
	}
}
