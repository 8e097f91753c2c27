/** What a program hands to `enqueue`. */

/** The four table layouts that Postroom drains, by the names that a profile has for them. */
export type Shape = 'studiou-wcmq' | 'wp-email-queue' | 'jobs' | 'email-jobs';

/** A row's key: a number where it is a safe integer, else its digits. */
export type RowId = number | string;

/**
 * A file that lies in the shop's attachment folder: a path that ends with `{32 hex digits}/{file name}`, or the same with
 * the name that the recipient sees. The folder of 32 hex digits belongs to one mail and is deleted when that was sent.
 */
export type Attachment =
  | string
  | {
      /** file name that the recipient sees */
      name: string;
      /** path that ends with `{32 hex digits}/{file name}` */
      file: string;
      /** bytes; a file of another size is not sent */
      size?: number;
      /** 64 hex digits; a file of another content is not sent */
      sha256?: string;
    };

/** One mail. Which keys a shape has no column for is said in docs/producers.md; giving one of those is an error. */
export interface Mail {
  /** one address or a list: `eva@example.com` or `Eva <eva@example.com>`; an address named twice counts once */
  to: string | readonly string[];
  /** one line */
  subject: string;
  /** body as plain text; this, `html` or both */
  text?: string;
  /** body as HTML */
  html?: string;
  /** sender in the header; without it the console's own */
  from?: string;
  replyTo?: string;
  /** every one of these gets each job of this mail, so they cannot go with `chunk` */
  cc?: string | readonly string[];
  /** as `cc`, unseen by the others */
  bcc?: string | readonly string[];
  /** more headers by name, one line each */
  headers?: Readonly<Record<string, string>>;
  attachments?: readonly Attachment[];
  /** not before: a Date, or s since 1970; without it now, by the database's clock */
  sendAt?: Date | number;
  /** studiou-wcmq: the kind of mail, as `customer_completed_order`; at most 100 characters */
  context?: string;
  /** studiou-wcmq: its kind in words for people; at most 200 characters */
  title?: string;
  /** studiou-wcmq: the order that it is about */
  orderId?: number | bigint | string;
  /** studiou-wcmq: -32768 to 32767, smaller leaves first; 10 without it */
  priority?: number;
}

/** Which queue table, and how it differs from its shape's usual one. */
export interface EnqueueOptions {
  shape: Shape;
  /** the WordPress table prefix of studiou-wcmq and wp-email-queue; `wp_` without it */
  tablePrefix?: string;
  /** full name of the queue table, in place of the shape's own */
  table?: string;
  /** the shape's name of a column -> this table's */
  columns?: Readonly<Record<string, string>>;
  /** jobs: the named queue; `default` without it */
  queue?: string;
  /** recipients of a job, 1 or more: a longer list becomes several jobs. Without it each mail is one job. */
  chunk?: number;
}

/**
 * The caller's connection, with the caller's transaction open on it: of mysql2 (callbacks or promises), mysql, mariadb,
 * or anything with a `query(sql, values)` or `execute(sql, values)` that promises or calls back with the result.
 */
export interface Connection {
  query?: unknown;
  execute?: unknown;
}
