<?php
// The shop around an example: php run-pdo.php EXAMPLE CUSTOMER SKU
[, $example, $customer, $sku] = $argv;
require $example;

$place = sprintf(
    'mysql:host=%s;port=%s;dbname=%s;charset=utf8mb4',
    getenv('SHOP_HOST'),
    getenv('SHOP_PORT'),
    getenv('SHOP_DATABASE')
);
$pdo = new PDO($place, getenv('SHOP_USER'), getenv('SHOP_PASSWORD'), [
    PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
    PDO::ATTR_EMULATE_PREPARES => false,
]);
echo place_order($pdo, $customer, $sku);
