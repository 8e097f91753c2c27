<?php
/**
 * The shop's mail types, for the console.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Which mails there are to choose from: other plugins bring their own, so nothing but the shop can tell. */
final class Mail_Types {

	/** Writes ids and titles into the settings table, when they have changed. */
	public static function publish(): void {
		$types = self::listed();
		if ( array() === $types ) {
			return;
		}
		$table  = Database::table( 'settings' );
		$json   = Text::json( $types );
		$stored = Database::rows( "SELECT value FROM {$table} WHERE name = 'email_types'" );
		// Decoded on both sides: MySQL spells a JSON column anew.
		if ( null === $stored || ( isset( $stored[0] ) && json_decode( $stored[0]['value'], true ) === json_decode( $json, true ) ) ) {
			return;
		}
		$value = Database::text( $json );
		Database::change(
			"INSERT INTO {$table} (name, value, updated_at) VALUES ('email_types', {$value}, UNIX_TIMESTAMP())
			ON DUPLICATE KEY UPDATE value = {$value}, updated_at = UNIX_TIMESTAMP()"
		);
	}

	/**
	 * WooCommerce's mail object of a type, null where it has none.
	 *
	 * @param string $id Mail type.
	 */
	public static function email( string $id ): ?object {
		$emails = self::emails();
		return $emails[ $id ] ?? $emails[ Mail::ALIASES[ $id ] ?? '' ] ?? null;
	}

	/**
	 * Ids and titles.
	 *
	 * @return array<int, array{id: string, title: string}>
	 */
	private static function listed(): array {
		$types  = array();
		$emails = self::emails();
		foreach ( $emails as $id => $email ) {
			$title   = is_callable( array( $email, 'get_title' ) ) ? $email->get_title() : ( $email->title ?? '' );
			$types[] = array(
				'id'    => (string) $id,
				'title' => Text::line( wp_strip_all_tags( (string) $title ), 200 ),
			);
		}
		Words::load();
		foreach ( Mail::ALIASES as $id => $known_as ) {
			if ( isset( $emails[ $known_as ] ) && ! isset( $emails[ $id ] ) ) {
				$types[] = array(
					'id'    => $id,
					'title' => __( 'Partially refunded order', 'postroom-connector' ),
				);
			}
		}
		return $types;
	}

	/**
	 * WooCommerce's mail objects by the id that they have now.
	 *
	 * @return array<string, object>
	 */
	private static function emails(): array {
		$found = array();
		if ( ! function_exists( 'WC' ) || ! is_callable( array( WC(), 'mailer' ) ) ) {
			return $found;
		}
		foreach ( (array) WC()->mailer()->get_emails() as $email ) {
			if ( is_object( $email ) && ! empty( $email->id ) ) {
				$found[ (string) $email->id ] = $email;
			}
		}
		return $found;
	}
}
