<?php
/**
 * Recipients and sender, judged as wp_mail() judges them.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

use PHPMailer\PHPMailer\Exception;
use PHPMailer\PHPMailer\PHPMailer;

defined( 'ABSPATH' ) || exit;

/** By WordPress's own PHPMailer, in a message that nobody sends. */
final class Addresses {

	/** Only filled, never sent. */
	private PHPMailer $mailer;

	/** The same classes, and the same idea of an address, that wp_mail() brings along. */
	public function __construct() {
		if ( ! class_exists( PHPMailer::class, false ) ) {
			require_once ABSPATH . WPINC . '/PHPMailer/PHPMailer.php';
			require_once ABSPATH . WPINC . '/PHPMailer/SMTP.php';
			require_once ABSPATH . WPINC . '/PHPMailer/Exception.php';
		}
		// Where wp_mail() has not set it yet: it does so with its first mail.
		if ( ! ( ( $GLOBALS['phpmailer'] ?? null ) instanceof PHPMailer ) ) {
			PHPMailer::$validator = static fn( $email ) => (bool) is_email( $email );
		}
		$this->mailer = new PHPMailer( true );
	}

	/**
	 * The recipients that wp_mail() would send to: it drops an address of a list that is none, and the second of two.
	 * Untouched where it drops nothing.
	 *
	 * @param mixed $to As handed to wp_mail().
	 * @return string|string[]
	 * @throws Leaves_Now When none is left, and wp_mail() fails.
	 */
	public function accepted( $to ) {
		$parts = is_array( $to ) ? $to : explode( ',', is_scalar( $to ) ? (string) $to : '' );
		$kept  = array();
		foreach ( $parts as $part ) {
			if ( is_scalar( $part ) && $this->takes( (string) $part ) ) {
				$kept[] = trim( (string) $part );
			}
		}
		if ( array() === $kept ) {
			throw new Leaves_Now( 'it has no valid recipient' );
		}
		return is_string( $to ) && count( $kept ) === count( $parts ) ? $to : $kept;
	}

	/**
	 * Whether wp_mail() takes a sender.
	 *
	 * @param string $address Address.
	 * @param string $name    Name.
	 * @throws Leaves_Now When not: then wp_mail() fails.
	 */
	public function check_sender( string $address, string $name ): void {
		try {
			$this->mailer->setFrom( $address, $name, false );
		} catch ( Exception $error ) {
			throw new Leaves_Now( 'its sender is no valid address' );
		}
	}

	/**
	 * Whether wp_mail() takes one recipient.
	 *
	 * @param string $part Address, or name and address in angle brackets.
	 */
	private function takes( string $part ): bool {
		$name = '';
		if ( preg_match( '/(.*)<(.+)>/', $part, $found ) ) {
			list( , $name, $part ) = $found;
		}
		try {
			return $this->mailer->addAddress( $part, $name );
		} catch ( Exception $error ) {
			return false;
		}
	}
}
