import { z } from 'zod';

/**
 * The payload column of a row (DESIGN section 4): what wp_mail() was given, plus optional keys that make
 * the row independent of the shop's filters. The plan's own five keys alone are a valid payload.
 */
const attachment = z.union([
  z.string(),
  z.object({
    name: z.string(),
    file: z.string(),
    /** bytes */
    size: z.number().int().nonnegative().optional(),
    /** lower-case hex */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .optional(),
    /** Content-ID of an embedded image; only in `embeds` */
    cid: z.string().optional(),
  }),
]);
export type PayloadAttachment = z.infer<typeof attachment>;

/** PHP encodes an empty array as [] and one with string keys as an object: both are lists to us (FINDINGS 24). */
const attachmentList = z.union([
  z.array(attachment),
  z.record(z.string(), attachment).transform((named) => Object.values(named)),
  z.literal('').transform(() => []),
  z.null().transform(() => []),
]);
/** wp_mail's `embeds` (WordPress 6.9): a list of paths, or a map from Content-ID to path. */
const embedList = z.union([
  z.array(attachment),
  z
    .record(z.string(), attachment)
    .transform((named) =>
      Object.entries(named).map(([cid, file]) =>
        typeof file === 'string' ? { name: file.split(/[\\/]/).at(-1) ?? file, file, cid } : { cid, ...file },
      ),
    ),
  z.literal('').transform(() => []),
  z.null().transform(() => []),
]);

export const payloadSchema = z.object({
  to: z.union([z.string(), z.array(z.string())]),
  subject: z.string(),
  message: z.string(),
  headers: z.union([z.string(), z.array(z.string()), z.null().transform(() => '')]).default(''),
  attachments: attachmentList.default([]),
  /** text part of a multipart mail whose `message` is HTML (FINDINGS 23) */
  alt: z.string().optional(),
  embeds: embedList.default([]),
  /** sender's address and name as the shop resolved them when the row was written */
  from: z.string().optional(),
  from_name: z.string().optional(),
  content_type: z.string().optional(),
  charset: z.string().optional(),
  order_url: z.string().optional(),
});
export type Payload = z.infer<typeof payloadSchema>;
