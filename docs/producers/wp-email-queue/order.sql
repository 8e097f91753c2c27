-- Sells one piece. Run it with a client that stops at the first error, as `mariadb shop < order.sql`: it then goes away
-- without COMMIT, and neither the order nor its mail is there.
SET NAMES utf8mb4;
SET @customer = 'eva@example.com', @sku = 'mug';

START TRANSACTION;
INSERT INTO orders (customer, sku) VALUES (@customer, @sku);
SET @number = LAST_INSERT_ID();
INSERT INTO wp_email_queue (destinatario, assunto, corpo, cabecalhos) VALUES (
  @customer,
  CONCAT('Your order ', @number),
  '<p>Thank you – it is on its way.</p>',
  JSON_ARRAY('Content-Type: text/html; charset=UTF-8')
);
-- `pieces` is UNSIGNED: less than none is an error
UPDATE stock SET pieces = pieces - 1 WHERE sku = @sku;
COMMIT;
