<?php
/**
 * The files of a mail.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/**
 * Copies, since whoever made an invoice deletes it when the request ends. They stand in a folder whose name nobody guesses,
 * before the row is there: no row ever points at a file that is not ours. The console deletes the folder when the mail
 * was sent, and a folder without a row after a day.
 */
final class Attachments {

	/** Beneath wp-content/uploads. */
	const FOLDER = 'studiou-wcmq-attachments';

	/** 32 hexadecimal digits; null as long as nothing was copied. */
	private ?string $token = null;

	/** How many files were copied. */
	private int $count = 0;

	/** The token for the row. */
	public function folder(): ?string {
		return $this->token;
	}

	/**
	 * Copies what wp_mail() would attach.
	 *
	 * @param mixed $files Paths, or one path a line; a key that is text is the name to be shown.
	 * @return array<int, array<string, mixed>>
	 * @throws Leaves_Now When one cannot be copied.
	 */
	public function attachments( $files ): array {
		$copies = array();
		$seen   = array();
		foreach ( self::listed( $files ) as $key => $path ) {
			// Before WordPress 6.2 the keys meant nothing.
			$name = is_string( $key ) && version_compare( get_bloginfo( 'version' ), '6.2', '>=' ) ? $key : wp_basename( $path );
			// PHPMailer attaches the same file under the same name once.
			if ( ! isset( $seen[ $path . "\n" . $name ] ) ) {
				$seen[ $path . "\n" . $name ] = true;
				$copies[]                     = $this->copy( $path, $name );
			}
		}
		return $copies;
	}

	/**
	 * Copies the pictures that the text shows (WordPress 6.9).
	 *
	 * @param mixed $files Paths by their Content-ID.
	 * @return array<int, array<string, mixed>>
	 * @throws Leaves_Now When one cannot be copied.
	 */
	public function embeds( $files ): array {
		$copies = array();
		foreach ( self::listed( $files ) as $key => $path ) {
			$plain = array(
				'path'        => $path,
				'cid'         => (string) $key,
				'name'        => wp_basename( $path ),
				'encoding'    => 'base64',
				'type'        => '',
				'disposition' => 'inline',
			);
			$args  = (array) apply_filters( 'wp_mail_embed_args', $plain ); // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals
			foreach ( array( 'encoding', 'type', 'disposition' ) as $part ) {
				if ( ( $args[ $part ] ?? '' ) !== $plain[ $part ] ) {
					throw new Leaves_Now( 'one of its pictures is embedded in a way of its own' );
				}
			}
			$copies[] = $this->copy( (string) ( $args['path'] ?? '' ), (string) ( $args['name'] ?? '' ) ) + array( 'cid' => (string) ( $args['cid'] ?? '' ) );
		}
		return $copies;
	}

	/** Takes the copies away: the mail leaves now. */
	public function remove(): void {
		if ( null === $this->token ) {
			return;
		}
		$folder = self::root() . '/' . $this->token;
		foreach ( (array) glob( $folder . '/*' ) as $file ) {
			@unlink( $file ); // phpcs:ignore WordPress
		}
		@rmdir( $folder ); // phpcs:ignore WordPress
		$this->token = null;
	}

	/** The folder of all folders. */
	public static function root(): string {
		return untrailingslashit( wp_upload_dir( null, false )['basedir'] ) . '/' . self::FOLDER;
	}

	/**
	 * As wp_mail() reads them.
	 *
	 * @param mixed $files String or list.
	 * @return array<int|string, string>
	 */
	private static function listed( $files ): array {
		if ( ! is_array( $files ) ) {
			$files = is_string( $files ) ? explode( "\n", str_replace( "\r\n", "\n", $files ) ) : array();
		}
		return array_filter( $files, static fn( $file ) => is_string( $file ) && '' !== $file );
	}

	/**
	 * Copies one file.
	 *
	 * @param string $path Where it is.
	 * @param string $name Name that the customer sees.
	 * @return array<string, mixed>
	 * @throws Leaves_Now When it cannot be copied.
	 */
	private function copy( string $path, string $name ): array {
		$shown = Text::line( wp_basename( $name ), 150 );
		// PHPMailer takes no address of another kind either, and an archive's inside is none.
		if ( preg_match( '#^[a-z][a-z\d+.-]*://#i', $path ) || ! @is_file( $path ) || ! is_readable( $path ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors
			throw new Leaves_Now( "its attachment {$shown} cannot be read" );
		}
		$folder = $this->make_folder();
		// By number: the name of a copy must be nothing that a web server runs.
		$file = ( ++$this->count ) . '.dat';
		$copy = $folder . '/' . $file;
		if ( ! @copy( $path, $copy ) ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors
			throw new Leaves_Now( "its attachment {$shown} cannot be copied into the uploads folder" );
		}
		clearstatcache( true, $copy );
		$size = @filesize( $copy ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
		$hash = @hash_file( 'sha256', $copy ); // phpcs:ignore WordPress.PHP.NoSilencedErrors
		if ( ! is_int( $size ) || ! is_string( $hash ) || @filesize( $path ) !== $size ) { // phpcs:ignore WordPress.PHP.NoSilencedErrors
			throw new Leaves_Now( "the copy of its attachment {$shown} is not whole" );
		}
		return array(
			'name'   => '' === $shown ? $file : $shown,
			'file'   => $this->token . '/' . $file,
			'size'   => $size,
			'sha256' => $hash,
		);
	}

	/**
	 * The mail's own folder, made when it is first needed.
	 *
	 * @throws Leaves_Now When it cannot be made.
	 */
	private function make_folder(): string {
		$root = self::root();
		if ( null === $this->token ) {
			if ( wp_is_stream( $root ) ) {
				throw new Leaves_Now( 'the uploads are kept elsewhere, where the console cannot fetch its attachments' );
			}
			self::shut( $root );
			$this->token = bin2hex( random_bytes( 16 ) );
			if ( ! wp_mkdir_p( $root . '/' . $this->token ) ) {
				throw new Leaves_Now( 'no folder can be made for its attachments' );
			}
		}
		return $root . '/' . $this->token;
	}

	/**
	 * Makes the folder of all folders, closed to browsers: Apache reads .htaccess; nginx does not, its rule is in
	 * docs/connector.md.
	 *
	 * @param string $root Its path.
	 */
	private static function shut( string $root ): void {
		$files = array(
			'index.php' => "<?php // Silence is golden.\n",
			'.htaccess' => "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n",
		);
		if ( ! wp_mkdir_p( $root ) ) {
			return;
		}
		foreach ( $files as $name => $content ) {
			if ( ! is_file( $root . '/' . $name ) ) {
				@file_put_contents( $root . '/' . $name, $content ); // phpcs:ignore WordPress
			}
		}
	}
}
