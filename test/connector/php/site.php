<?php
// What wp-config.php is to a shop: WordPress itself, whole, with everything around it from the environment.
if (!defined('ABSPATH')) {
    define('ABSPATH', rtrim(getenv('WORDPRESS'), '/') . '/');
}
define('DB_NAME', getenv('SHOP_DATABASE'));
define('DB_USER', getenv('SHOP_USER'));
define('DB_PASSWORD', getenv('SHOP_PASSWORD'));
define('DB_HOST', getenv('SHOP_HOST') . ':' . getenv('SHOP_PORT'));
define('DB_CHARSET', getenv('SHOP_CHARSET') ?: 'utf8mb4');
define('DB_COLLATE', '');
define('WP_CONTENT_DIR', getenv('SHOP_CONTENT'));
define('WP_DEFAULT_THEME', 'bare');
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', true); // whatever is said is seen by the test
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define("{$name}_KEY", "a key of $name");
    define("{$name}_SALT", "a salt of $name");
}
if (getenv('SHOP_LANGUAGE')) {
    $GLOBALS['wp_local_package'] = getenv('SHOP_LANGUAGE');
}
$_SERVER += ['REMOTE_ADDR' => '127.0.0.1', 'HTTP_HOST' => 'www.shop.example', 'SERVER_NAME' => 'www.shop.example', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1'];
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
