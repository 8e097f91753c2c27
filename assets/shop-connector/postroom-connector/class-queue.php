<?php
/**
 * Writing a row.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** One INSERT, due at once: when it leaves is the console's business. */
final class Queue {

	/** Bytes of a payload that the console takes, less some air (25 Mi characters). */
	const LIMIT = 25000000;

	/**
	 * Whether the row stands in the table, as far as the shop's own transaction goes.
	 *
	 * @param Mail     $mail     What WooCommerce knows of it.
	 * @param Snapshot $snapshot What it looks like.
	 * @param ?string  $folder   Token of the folder with its files.
	 * @param int      $priority Smaller leaves first.
	 * @throws Leaves_Now When it is too large.
	 */
	public static function insert( Mail $mail, Snapshot $snapshot, ?string $folder, int $priority ): bool {
		$payload = Text::json( $snapshot->payload );
		if ( strlen( $payload ) > self::LIMIT ) {
			throw new Leaves_Now( 'it is larger than the queue takes (25 MB)' );
		}
		$values = array(
			Database::text( Text::line( $mail->id, 100 ) ),
			Database::text( Text::line( $mail->title, 200 ) ),
			$mail->order_id,
			Database::text( Text::line( $snapshot->recipients, 320 ) ),
			Database::text( Text::line( $snapshot->payload['subject'], 1000 ) ),
			Database::text( $payload ),
			null === $folder ? 'NULL' : "'" . $folder . "'",
			$priority,
		);
		return 0 < Database::insert(
			'INSERT INTO ' . Database::table( 'queue' )
			. ' (context, title, order_id, recipient, subject, payload, attachment_dir, priority, state, scheduled_at, created_at) VALUES ('
			. implode( ', ', $values ) . ", 'pending', UNIX_TIMESTAMP(), UNIX_TIMESTAMP())"
		);
	}
}
