<?php
declare(strict_types=1);

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
function place_order(PDO $pdo, string $customer, string $sku): int
{
    $pdo->beginTransaction();
    try {
        $pdo->prepare('INSERT INTO orders (customer, sku) VALUES (?, ?)')->execute([$customer, $sku]);
        $number = (int) $pdo->lastInsertId();

        $pdo->prepare('INSERT INTO email_jobs (recipient, subject, body, available_at) VALUES (?, ?, ?, NOW())')
            ->execute([$customer, "Your order $number", 'Thank you – it is on its way.']);

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
