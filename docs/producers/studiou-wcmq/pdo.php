<?php
declare(strict_types=1);

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
function place_order(PDO $pdo, string $customer, string $sku): int
{
    $pdo->beginTransaction();
    try {
        $pdo->prepare('INSERT INTO orders (customer, sku) VALUES (?, ?)')->execute([$customer, $sku]);
        $number = (int) $pdo->lastInsertId();

        $subject = "Your order $number";
        $payload = [
            'to' => $customer,
            'subject' => $subject,
            'message' => '<p>Thank you – it is on its way.</p>',
            'headers' => 'Content-Type: text/html; charset=UTF-8',
            'attachments' => [],
        ];
        $pdo->prepare(
            "INSERT INTO wp_studiou_wcmq_queue
               (context, order_id, recipient, subject, payload, priority, state, scheduled_at, created_at)
             VALUES ('customer_completed_order', ?, ?, ?, ?, 10, 'pending', UNIX_TIMESTAMP(), UNIX_TIMESTAMP())"
        )->execute([$number, $customer, $subject, json_encode($payload, JSON_THROW_ON_ERROR)]);

        $taken = $pdo->prepare('UPDATE stock SET pieces = pieces - 1 WHERE sku = ? AND pieces > 0');
        $taken->execute([$sku]);
        if ($taken->rowCount() === 0) {
            throw new RuntimeException("$sku is sold out");
        }
        $pdo->commit();
        return $number;
    } catch (Throwable $error) {
        $pdo->rollBack();
        throw $error;
    }
}
