import type { Connection } from 'mysql2/promise';
import { enqueue } from 'postroom/enqueue';

/**
 * Tells many people of a thing, three to a job: each job is one conversation with the mail server, and its three see one
 * another's addresses. With `chunk: 1` nobody does. Answers the ids of the jobs.
 */
export async function announce(connection: Connection, people: string[], subject: string, text: string) {
  await connection.beginTransaction();
  try {
    const ids = await enqueue(connection, { to: people, subject, text }, { shape: 'email-jobs', chunk: 3 });
    await connection.commit();
    return ids;
  } catch (error) {
    await connection.rollback();
    throw error;
  }
}
