/** What the overview draws: how sending went against the caps, who waits for whom, what goes wrong. */
import type { RowId } from './rows.ts';

/** Spans that the chart knows: buckets of one length, up to now. */
export const spans = {
  /** the last hour by minutes */
  minute: { bucketS: 60, count: 60 },
  /** the last two days by hours */
  hour: { bucketS: 3_600, count: 48 },
  /** the last two weeks by days (of 24 h up to now: a day's cap slides) */
  day: { bucketS: 86_400, count: 14 },
} as const;
export type Span = keyof typeof spans;

/** Conversations that ended in one bucket. `counted` is what the cap of that length counts. */
export interface Bucket {
  /** s since 1970, database clock: the bucket's beginning */
  at: number;
  sent: number;
  /** to be tried again */
  deferred: number;
  /** refused for good, and doubts */
  failed: number;
  /** conversations (minute), envelope recipients (hour, day) */
  counted: number;
}

/** Ages of waiting rows, upper ends in minutes, as qshape doubles them; the last one is open. */
export const ages = [5, 10, 20, 40, 80, 160, 320, 640, 1280, null] as const;

/** Rows that wait for one recipient domain. */
export interface DomainBacklog {
  domain: string;
  total: number;
  /** rows by age, one number for each of `ages` */
  byAge: number[];
  /** how many of them were tried before */
  tried: number;
}

/** One kind of refusal, by the server's words without what differs from mail to mail. */
export interface ErrorKind {
  words: string;
  outcome: 'rejected' | 'deferred' | 'in-doubt';
  count: number;
  /** s, when it was heard last */
  lastAt: number;
  /** the row of the last one, as long as it is there */
  example: RowId | null;
}

export interface Overview {
  /** s, database clock */
  now: number;
  history: Record<Span, Bucket[]>;
  /** null = none is set */
  caps: Record<Span, number | null>;
  /** the fullest first; all others together as the last one with an empty name */
  domains: DomainBacklog[];
  /** rows that still wait at moments to come, s; the last one is empty. Empty = nothing waits, or nothing leaves. */
  forecast: { at: number; remaining: number }[];
  /** the most frequent of the last 7 days first */
  errors: ErrorKind[];
}
