/** How many rows a worker has in hand ahead of its connections. Pure. */

/**
 * Rows taken ahead where no minute gate spaces them: one transaction for a hundred mails and more instead of nine round
 * trips for each. As many as leave within `ms` and while a claim twice as slow as the last one is made, so that the
 * connections do not run dry, nor a password reset wait behind rows that a slow server takes one by one; at most `most`
 * for each connection, `first` while nothing is known of the server. They are given back, uncounted, when the worker
 * stops.
 */
const stockOf = { ms: 300, most: 60, first: 10 };

/** `replyMs` of one mail, null = not known yet; `claimMs` of the last claim. */
export function stockFor(connections: number, replyMs: number | null, claimMs: number): number {
  const lastingMs = stockOf.ms + 2 * claimMs;
  const each = replyMs === null ? stockOf.first : Math.ceil(lastingMs / Math.max(1, replyMs));
  return connections * Math.min(stockOf.most, each);
}
