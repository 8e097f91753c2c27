<?php
declare(strict_types=1);

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
function place_order(PDO $pdo, string $customer, string $sku): int
{
    $pdo->beginTransaction();
    try {
        $pdo->prepare('INSERT INTO orders (customer, sku) VALUES (?, ?)')->execute([$customer, $sku]);
        $number = (int) $pdo->lastInsertId();

        $pdo->prepare('INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (?, ?, ?, ?)')
            ->execute([
                $customer,
                "Your order $number",
                '<p>Thank you – it is on its way.</p>',
                json_encode(['Content-Type: text/html; charset=UTF-8'], JSON_THROW_ON_ERROR),
            ]);

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
