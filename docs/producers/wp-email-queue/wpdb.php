<?php
declare(strict_types=1);

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
function place_order(string $customer, string $sku): int
{
    global $wpdb;
    // wpdb throws nothing: it answers false
    $must = function ($done) use ($wpdb) {
        return $done !== false ? $done : throw new RuntimeException("The database refused: $wpdb->last_error");
    };
    $must($wpdb->query('START TRANSACTION'));
    try {
        $must($wpdb->insert('orders', ['customer' => $customer, 'sku' => $sku]));
        $number = $wpdb->insert_id;

        $must($wpdb->insert("{$wpdb->prefix}email_queue", [
            'destinatario' => $customer,
            'assunto' => "Your order $number",
            'corpo' => '<p>Thank you – it is on its way.</p>',
            'cabecalhos' => wp_json_encode(['Content-Type: text/html; charset=UTF-8']),
        ]));

        $taken = $wpdb->prepare('UPDATE stock SET pieces = pieces - 1 WHERE sku = %s AND pieces > 0', $sku);
        if ($must($wpdb->query($taken)) === 0) {
            throw new RuntimeException("$sku is sold out");
        }
        $must($wpdb->query('COMMIT'));
        return $number;
    } catch (Throwable $error) {
        $wpdb->query('ROLLBACK');
        throw $error;
    }
}
