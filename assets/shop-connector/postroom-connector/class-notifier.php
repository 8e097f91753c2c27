<?php
/**
 * Telling the shop how its mail ended.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * Writes what WooCommerce would have written at once, now that it is true: a note on the order and a line in the log
 * transactional-emails. Whichever way a row has ended, it has notified_at NULL until it was told of.
 *
 * The row is taken first and told of then: notified_at is set where it is still NULL, and only who changed that row writes.
 * So no two processes tell of one ending. A process that dies in the milliseconds between leaves an ending untold, the
 * other order would tell it twice, and again at each death: a note that lacks sends nobody a mail, but two notes say
 * that two mails were sent.
 */
final class Notifier {

	/** Rows that are read at once. */
	const BATCH = 25;

	/** WooCommerce's own source of mail lines. */
	const SOURCE = 'transactional-emails';

	/**
	 * Tells of some rows.
	 *
	 * @param int   $most    Rows.
	 * @param float $seconds After which no further row is begun.
	 * @return int How many were told of.
	 */
	public static function run( int $most, float $seconds ): int {
		$until = microtime( true ) + $seconds;
		$told  = 0;
		$after = 0;
		// Where WooCommerce is not whole, nothing is taken: it would be lost.
		while ( $told < $most && function_exists( 'wc_get_order' ) && function_exists( 'wc_get_logger' ) ) {
			$rows = self::untold( $after, min( self::BATCH, $most - $told ) );
			foreach ( $rows as $row ) {
				$after = (int) $row['id'];
				if ( microtime( true ) >= $until ) {
					return $told;
				}
				if ( self::take( $row ) ) {
					++$told;
					self::tell( $row );
				}
			}
			if ( array() === $rows ) {
				break;
			}
		}
		return $told;
	}

	/**
	 * Ended rows that nobody was told of.
	 *
	 * @param int $after Id.
	 * @param int $most  Rows.
	 * @return array<int, array<string, mixed>>
	 */
	private static function untold( int $after, int $most ): array {
		return Database::rows(
			'SELECT id, context, title, order_id, recipient, state, in_doubt, last_error, COALESCE(sent_at, 0) AS sent_at FROM ' . Database::table( 'queue' )
			. " WHERE state IN ('sent', 'failed') AND notified_at IS NULL AND id > {$after} ORDER BY id LIMIT {$most}"
		) ?? array();
	}

	/**
	 * Whether this process is the one that tells: the row has ended as it was read, and nobody else was quicker.
	 *
	 * @param array<string, mixed> $row As read.
	 */
	private static function take( array $row ): bool {
		return 1 === Database::change(
			sprintf(
				"UPDATE %s SET notified_at = UNIX_TIMESTAMP() WHERE id = %d AND notified_at IS NULL AND state = '%s' AND in_doubt = %d AND COALESCE(sent_at, 0) = %d",
				Database::table( 'queue' ),
				$row['id'],
				'sent' === $row['state'] ? 'sent' : 'failed',
				$row['in_doubt'],
				$row['sent_at']
			)
		);
	}

	/**
	 * Writes line and note. Whatever happens, the next row is told of.
	 *
	 * @param array<string, mixed> $row As read.
	 */
	private static function tell( array $row ): void {
		try {
			$email = Mail_Types::email( (string) $row['context'] );
			if ( ! self::wanted( 'woocommerce_email_log_enabled', $row, $email ) ) {
				return;
			}
			self::write_line( $row );
			$order = (int) $row['order_id'] > 0 ? wc_get_order( (int) $row['order_id'] ) : false;
			// An order is deleted at any time.
			if ( is_a( $order, 'WC_Order' ) && self::wanted( 'woocommerce_email_log_add_order_note', $row, $email, $order ) ) {
				$order->add_order_note( self::note( $row ), 0, false, array( 'note_group' => 'email_notification' ) );
			}
		} catch ( \Throwable $error ) {
			Log::warning( sprintf( 'row %d: its end could not be told of: %s', $row['id'], $error->getMessage() ) );
		}
	}

	/**
	 * What the shop's own filters say about a line or a note, as WooCommerce would have asked them. Without the mail object
	 * they cannot be asked.
	 *
	 * @param string               $filter Its name.
	 * @param array<string, mixed> $row    As read.
	 * @param ?object              $email  WC_Email.
	 * @param mixed                ...$more The order, for the note.
	 */
	private static function wanted( string $filter, array $row, ?object $email, ...$more ): bool {
		return null === $email || (bool) apply_filters( $filter, true, (string) $row['context'], $email, ...$more ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
	}

	/**
	 * A line of the log, in the shape of WooCommerce's own and without addresses: whoever manages the shop reads it.
	 *
	 * @param array<string, mixed> $row As read.
	 */
	private static function write_line( array $row ): void {
		$sent    = 'sent' === $row['state'];
		$context = array(
			'source'     => self::SOURCE,
			'email_type' => (string) $row['context'],
			'recipient'  => self::people( (string) $row['recipient'] ),
			'status'     => $sent ? 'sent' : 'failed',
		);
		if ( (int) $row['order_id'] > 0 ) {
			$context['order_id'] = (int) $row['order_id'];
		}
		$reason = self::reason( $row );
		if ( '' !== $reason ) {
			$context['error'] = $reason;
		}
		$message = sprintf( 'Email %s %s', $row['context'], $sent ? 'sent' : ( (int) $row['in_doubt'] ? 'may or may not have been sent' : 'failed' ) );
		if ( '' !== $reason ) {
			$message .= ': ' . $reason;
		}
		$logger = wc_get_logger();
		if ( $sent ) {
			$logger->info( $message, $context );
		} else {
			$logger->error( $message, $context );
		}
	}

	/**
	 * The order's note.
	 *
	 * @param array<string, mixed> $row As read.
	 */
	private static function note( array $row ): string {
		Words::load();
		$title  = '' === (string) $row['title'] ? (string) $row['context'] : (string) $row['title'];
		$reason = self::reason( $row );
		if ( 'sent' === $row['state'] ) {
			/* translators: %s: title of a mail type, such as Completed order */
			$note = sprintf( __( 'Email "%s" sent.', 'postroom-connector' ), $title );
		} elseif ( (int) $row['in_doubt'] ) {
			/* translators: %s: title of a mail type, such as Completed order */
			$note = sprintf( __( 'Email "%s" may or may not have arrived: the mail server\'s answer was lost.', 'postroom-connector' ), $title );
		} else {
			/* translators: %s: title of a mail type, such as Completed order */
			$note = sprintf( __( 'Email "%s" was not sent.', 'postroom-connector' ), $title );
		}
		if ( '' !== $reason ) {
			$note .= ' ' . esc_html( $reason );
		}
		return $note;
	}

	/**
	 * Why a mail failed, or who of its recipients was refused; without addresses.
	 *
	 * @param array<string, mixed> $row As read.
	 */
	private static function reason( array $row ): string {
		return Text::line( Text::redacted( (string) $row['last_error'] ), 500 );
	}

	/**
	 * User names in the place of addresses; who has none is a guest.
	 *
	 * @param string $recipients Comma list.
	 */
	private static function people( string $recipients ): string {
		$names = array();
		foreach ( explode( ',', $recipients ) as $part ) {
			$address = preg_match( '/<([^<>]+)>\s*$/', $part, $found ) ? $found[1] : $part;
			$user    = get_user_by( 'email', trim( $address ) );
			$names[] = $user ? $user->user_login : 'guest';
		}
		return implode( ', ', array_unique( $names ) );
	}
}
