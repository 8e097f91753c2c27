<?php
declare(strict_types=1);

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
function place_order(PDO $pdo, string $customer, string $sku): int
{
    $pdo->beginTransaction();
    try {
        $pdo->prepare('INSERT INTO orders (customer, sku) VALUES (?, ?)')->execute([$customer, $sku]);
        $number = (int) $pdo->lastInsertId();

        $payload = [
            'to' => [$customer],
            'subject' => "Your order $number",
            'text' => 'Thank you – it is on its way.',
            'html' => '<p>Thank you – it is on its way.</p>',
        ];
        $pdo->prepare(
            "INSERT INTO jobs (queue, payload, attempts, available_at, created_at, updated_at)
             VALUES ('mail', ?, 0, NOW(), NOW(), NOW())"
        )->execute([json_encode($payload, JSON_THROW_ON_ERROR)]);

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
