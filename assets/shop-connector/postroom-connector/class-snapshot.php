<?php
/**
 * A mail as it will be sent.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * All that is needed to send a mail later, when the filters that belong to it are gone and its files deleted. It is read as
 * wp_mail() reads it (wp-includes/pluggable.php), whose filters of sender and type are still attached now.
 */
final class Snapshot {

	/**
	 * What was read.
	 *
	 * @param array<string, mixed> $payload    The row's payload.
	 * @param string               $recipients For the row's list column.
	 */
	private function __construct( public readonly array $payload, public readonly string $recipients ) {}

	/**
	 * Reads it, and copies its files.
	 *
	 * @param Mail                 $mail  What WooCommerce knows of it.
	 * @param array<string, mixed> $atts  What wp_mail() got.
	 * @param Text_Part            $text  Its text part.
	 * @param Attachments          $files Takes its files.
	 * @throws Leaves_Now When it cannot be kept as it is.
	 */
	public static function of( Mail $mail, array $atts, Text_Part $text, Attachments $files ): self {
		$message = self::string( $atts['message'] ?? '', 'message' );
		if ( empty( $message ) ) {
			throw new Leaves_Now( 'its message is empty' ); // And PHPMailer will refuse it; "0" is empty to it, too.
		}
		$headers = $atts['headers'] ?? '';
		if ( ! is_string( $headers ) && ! is_array( $headers ) ) {
			$headers = '';
		}
		$addresses = new Addresses();
		$to        = $addresses->accepted( $atts['to'] ?? '' );
		$sender    = Sender::of( $headers );
		$addresses->check_sender( $sender->address, $sender->name );
		if ( ! preg_match( '/^(?:utf-8|us-ascii)?$/i', $sender->charset ) ) {
			throw new Leaves_Now( "it is in {$sender->charset}, and the queue holds UTF-8" );
		}
		$payload = array(
			'to'           => $to,
			'subject'      => self::string( $atts['subject'] ?? '', 'subject' ),
			'message'      => $message,
			'headers'      => $headers,
			'attachments'  => $files->attachments( $atts['attachments'] ?? array() ),
			'from'         => $sender->address,
			'from_name'    => $sender->name,
			'content_type' => $sender->content_type,
			'charset'      => $sender->charset,
		);
		$embeds  = $files->embeds( $atts['embeds'] ?? array() );
		if ( array() !== $embeds ) {
			$payload['embeds'] = $embeds;
		}
		if ( '' !== $mail->order_url ) {
			$payload['order_url'] = $mail->order_url;
		}
		// Last: from here on only the INSERT can fail.
		$alt = $text->take();
		if ( ! empty( $alt ) ) {
			$payload['alt'] = $alt;
		}
		return new self( $payload, is_array( $to ) ? implode( ', ', $to ) : $to );
	}

	/**
	 * A value that has to be text.
	 *
	 * @param mixed  $value As handed to wp_mail().
	 * @param string $what  Its name.
	 * @throws Leaves_Now When it is none.
	 */
	private static function string( $value, string $what ): string {
		if ( is_scalar( $value ) || $value instanceof \Stringable ) {
			return (string) $value;
		}
		throw new Leaves_Now( "its {$what} is no text" );
	}
}
