-- Sells one piece. Run it with a client that stops at the first error, as `mariadb shop < order.sql`: it then goes away
-- without COMMIT, and neither the order nor its mail is there.
SET NAMES utf8mb4;
SET @customer = 'eva@example.com', @sku = 'mug';

START TRANSACTION;
INSERT INTO orders (customer, sku) VALUES (@customer, @sku);
SET @number = LAST_INSERT_ID();
INSERT INTO wp_studiou_wcmq_queue
  (context, order_id, recipient, subject, payload, priority, state, scheduled_at, created_at)
VALUES (
  'customer_completed_order', @number, @customer, CONCAT('Your order ', @number),
  JSON_OBJECT(
    'to', @customer,
    'subject', CONCAT('Your order ', @number),
    'message', '<p>Thank you – it is on its way.</p>',
    'headers', 'Content-Type: text/html; charset=UTF-8',
    'attachments', JSON_ARRAY()
  ),
  10, 'pending', UNIX_TIMESTAMP(), UNIX_TIMESTAMP()
);
-- `pieces` is UNSIGNED: less than none is an error
UPDATE stock SET pieces = pieces - 1 WHERE sku = @sku;
COMMIT;
