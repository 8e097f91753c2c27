import type { Pool, ResultSetHeader } from 'mysql2/promise';
import { enqueue } from 'postroom/enqueue';

/** Sells one piece. The order and its mail are there together, or neither is. Answers the order's number. */
export async function placeOrder(pool: Pool, customer: string, sku: string): Promise<number> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const [order] = await connection.execute<ResultSetHeader>(
      'INSERT INTO orders (customer, sku) VALUES (?, ?)',
      [customer, sku],
    );
    const number = order.insertId;
    await enqueue(
      connection,
      {
        context: 'customer_completed_order',
        orderId: number,
        to: customer,
        subject: `Your order ${number}`,
        html: '<p>Thank you – it is on its way.</p>',
        text: 'Thank you – it is on its way.',
      },
      { shape: 'studiou-wcmq', tablePrefix: 'wp_' },
    );
    const [taken] = await connection.execute<ResultSetHeader>(
      'UPDATE stock SET pieces = pieces - 1 WHERE sku = ? AND pieces > 0',
      [sku],
    );
    if (taken.affectedRows === 0) throw new Error(`${sku} is sold out`);
    await connection.commit();
    return number;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
