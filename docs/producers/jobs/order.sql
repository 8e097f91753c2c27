-- Sells one piece. Run it with a client that stops at the first error, as `mariadb shop < order.sql`: it then goes away
-- without COMMIT, and neither the order nor its mail is there.
SET NAMES utf8mb4;
SET @customer = 'eva@example.com', @sku = 'mug';

START TRANSACTION;
INSERT INTO orders (customer, sku) VALUES (@customer, @sku);
SET @number = LAST_INSERT_ID();
INSERT INTO jobs (queue, payload, attempts, available_at, created_at, updated_at) VALUES (
  'mail',
  JSON_OBJECT(
    'to', JSON_ARRAY(@customer),
    'subject', CONCAT('Your order ', @number),
    'text', 'Thank you – it is on its way.',
    'html', '<p>Thank you – it is on its way.</p>'
  ),
  0, NOW(), NOW(), NOW()
);
-- `pieces` is UNSIGNED: less than none is an error
UPDATE stock SET pieces = pieces - 1 WHERE sku = @sku;
COMMIT;
