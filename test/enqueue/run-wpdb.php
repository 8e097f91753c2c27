<?php
// The shop around an example: php run-wpdb.php EXAMPLE CUSTOMER SKU
// WordPress itself, as far as SHORTINIT loads it: the real $wpdb, connected as wp-config.php would have it. Nothing is put
// in the place of any of its functions, and none of its tables need be there.
[, $example, $customer, $sku] = $argv;

$folders = array_filter([getenv('WORDPRESS_DIR'), '/usr/share/wordpress', getenv('SHOP_CHECKOUT') . '/out/debian/usr/share/wordpress']);
foreach ($folders as $folder) {
    if (is_file("$folder/wp-settings.php")) {
        define('ABSPATH', "$folder/");
        break;
    }
}
if (!defined('ABSPATH')) {
    fwrite(STDERR, "WordPress is not there. Unpack it anywhere and name that folder in WORDPRESS_DIR.\n");
    exit(3);
}
define('SHORTINIT', true);
define('DB_NAME', getenv('SHOP_DATABASE'));
define('DB_USER', getenv('SHOP_USER'));
define('DB_PASSWORD', getenv('SHOP_PASSWORD'));
define('DB_HOST', getenv('SHOP_HOST') . ':' . getenv('SHOP_PORT'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';

require $example;
try {
    echo place_order($customer, $sku);
} catch (Throwable $error) {
    // WordPress catches what nobody catches, and makes a page of it
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
