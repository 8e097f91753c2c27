<?php
/**
 * The reason why a mail is not queued.
 *
 * @package Postroom\Connector
 */

namespace Postroom\Connector;

defined( 'ABSPATH' ) || exit;

/** Thrown where a mail cannot be kept as it is: it leaves at once, as if we were not there. */
final class Leaves_Now extends \RuntimeException {}
