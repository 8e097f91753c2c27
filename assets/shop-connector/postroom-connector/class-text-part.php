<?php
/**
 * The text part of a multipart mail.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * WooCommerce adds the text part only on phpmailer_init, to whatever is being sent then. When wp_mail() ends before that, the
 * mail object stays armed, and the next mail of the request, to anyone, carries this customer's text. So it is disarmed
 * by letting it fill a message that nobody sends; that is also where the text comes from.
 */
final class Text_Part {

	/** WC_Email. */
	private object $email;

	/** Whether it was armed when we came. */
	private bool $armed;

	/**
	 * Of one mail.
	 *
	 * @param object $email WC_Email.
	 */
	public function __construct( object $email ) {
		$this->email = $email;
		$this->armed = ! empty( $email->sending );
	}

	/** The text; '' where the mail has none. Whatever comes of it, the mail object is disarmed afterwards. */
	public function take(): string {
		if ( ! is_callable( array( $this->email, 'handle_multipart' ) ) ) {
			return '';
		}
		$nobodys = new class() extends \stdClass {
			/**
			 * As PHPMailer's.
			 *
			 * @var string
			 */
			public $AltBody = ''; // phpcs:ignore WordPress.NamingConventions.ValidVariableName
		};
		$this->email->handle_multipart( $nobodys );
		if ( $this->armed ) {
			$this->email->sending = false;
		}
		return (string) $nobodys->AltBody; // phpcs:ignore WordPress.NamingConventions.ValidVariableName
	}

	/** The mail is sent after all: it gets its text part as ever. */
	public function give_back(): void {
		if ( $this->armed ) {
			$this->email->sending = true;
		}
	}
}
