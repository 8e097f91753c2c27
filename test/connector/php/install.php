<?php
// A shop's WordPress, installed.
define('WP_INSTALLING', true);
function wp_new_blog_notification() {} // it would send a mail
require __DIR__ . '/site.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Studio Ú & Synové', 'manager', 'manager@shop.example', false, '', 'secret');
update_option('siteurl', 'https://www.shop.example');
update_option('home', 'https://www.shop.example');
update_option('woocommerce_email_from_address', 'obchod@studiou.example');
update_option('woocommerce_email_from_name', 'Studio Ú <eshop>');
get_role('administrator')->add_cap('manage_woocommerce');
wp_insert_user(['user_login' => 'karel', 'user_pass' => 'x', 'user_email' => 'karel@customer.example', 'role' => 'subscriber']);
echo 'installed ', get_bloginfo('version');
