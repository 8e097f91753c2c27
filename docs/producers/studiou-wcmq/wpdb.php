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

        $subject = "Your order $number";
        $payload = [
            'to' => $customer,
            'subject' => $subject,
            'message' => '<p>Thank you – it is on its way.</p>',
            'headers' => 'Content-Type: text/html; charset=UTF-8',
            'attachments' => [],
        ];
        // not $wpdb->insert(): the times are the database's, and that takes an expression
        $must($wpdb->query($wpdb->prepare(
            "INSERT INTO {$wpdb->prefix}studiou_wcmq_queue
               (context, order_id, recipient, subject, payload, priority, state, scheduled_at, created_at)
             VALUES ('customer_completed_order', %d, %s, %s, %s, 10, 'pending', UNIX_TIMESTAMP(), UNIX_TIMESTAMP())",
            $number,
            $customer,
            $subject,
            wp_json_encode($payload)
        )));

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
