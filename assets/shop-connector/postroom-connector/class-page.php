<?php
/**
 * The page in wp-admin.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Says how things stand and offers one thing: to stop. All else is the console's. */
final class Page {

	/** Its name in addresses. */
	const SLUG = 'postroom';

	/** Action and nonce of the button. */
	const DISABLE = 'postroom_disable';

	/** Action admin_menu. */
	public static function add(): void {
		add_submenu_page( 'woocommerce', 'Postroom', 'Postroom', Plugin::CAPABILITY, self::SLUG, Safely::action( array( __CLASS__, 'show' ) ) );
	}

	/** Prints it. */
	public static function show(): void {
		if ( ! current_user_can( Plugin::CAPABILITY ) ) {
			return;
		}
		$status = Status::read();
		echo '<div class="wrap"><h1>Postroom</h1>';
		if ( null === $status ) {
			echo '<p>' . esc_html__( 'The queue\'s tables cannot be read, so all mail leaves directly.', 'postroom-connector' ) . '</p></div>';
			return;
		}
		echo '<table class="widefat striped" style="max-width:40em"><tbody>';
		self::line( __( 'State', 'postroom-connector' ), self::state( $status->settings->state ) );
		self::line( __( 'Waiting', 'postroom-connector' ), number_format_i18n( $status->waiting ) );
		self::line( __( 'Failed', 'postroom-connector' ), number_format_i18n( $status->failed ) );
		self::line( __( 'Console', 'postroom-connector' ), self::console( $status ) );
		echo '</tbody></table>';
		if ( 'enabled' === $status->settings->state ) {
			self::button();
		}
		echo '</div>';
	}

	/** Action admin_post_: the button was pressed. */
	public static function disable(): void {
		// What the shop answers to a stranger is WordPress's business; we only do nothing.
		if ( ! current_user_can( Plugin::CAPABILITY ) ) {
			wp_die( esc_html__( 'You may not do this.', 'postroom-connector' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( self::DISABLE );
		Settings::enable( false );
		if ( wp_safe_redirect( self::url() ) ) {
			exit;
		}
	}

	/** Where it is. */
	public static function url(): string {
		return admin_url( 'admin.php?page=' . self::SLUG );
	}

	/**
	 * A state in words.
	 *
	 * @param string $state One of enabled, draining, disabled.
	 */
	private static function state( string $state ): string {
		switch ( $state ) {
			case 'enabled':
				return __( 'Enabled: mail goes into the queue', 'postroom-connector' );
			case 'draining':
				return __( 'Draining: new mail leaves directly, what waits is still sent by the console', 'postroom-connector' );
			default:
				return __( 'Disabled: all mail leaves directly', 'postroom-connector' );
		}
	}

	/**
	 * When a console was seen.
	 *
	 * @param Status $status As read.
	 */
	private static function console( Status $status ): string {
		if ( null === $status->seen ) {
			return __( 'None was ever seen', 'postroom-connector' );
		}
		$ago = human_time_diff( time() - $status->seen, time() );
		/* translators: 1: name of a computer, 2: a time span, such as 5 mins */
		$seen = sprintf( __( '%1$s, last seen %2$s ago', 'postroom-connector' ), $status->console, $ago );
		return $status->settings->console_is_able() ? $seen : $seen . ' – ' . __( 'not able to send, so new mail leaves directly', 'postroom-connector' );
	}

	/**
	 * Prints a line of the table.
	 *
	 * @param string $name  What.
	 * @param string $value How much.
	 */
	private static function line( string $name, string $value ): void {
		echo '<tr><th scope="row">' . esc_html( $name ) . '</th><td>' . esc_html( $value ) . '</td></tr>';
	}

	/** Prints the button. */
	private static function button(): void {
		echo '<form method="post" action="' . esc_url( admin_url( 'admin-post.php' ) ) . '" style="margin-top:1em">';
		echo '<input type="hidden" name="action" value="' . esc_attr( self::DISABLE ) . '">';
		wp_nonce_field( self::DISABLE );
		echo '<p>' . esc_html__( 'When disabled, new mail leaves the shop directly, as without Postroom. What waits is still sent by the console.', 'postroom-connector' ) . '</p>';
		echo '<button type="submit" class="button">' . esc_html__( 'Disable the queue', 'postroom-connector' ) . '</button></form>';
	}
}
