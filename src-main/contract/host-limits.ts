/**
 * What a host allows, and the caps that stay below it. Hosts suspend accounts that go over their limit, and the shop's other
 * mail (webmail, contact forms, what passes the queue by) counts too: so a fifth is left to it.
 */
import { z } from 'zod';
import type { Settings } from './settings.ts';

/** the part of a host's limit that the queue may use */
const share = 0.8;

const most = z.number().int().min(1).max(10_000_000).nullable();
/** As a host states them; null = it states none of that length. */
export const hostLimits = z.strictObject({ minute: most, hour: most, day: most });
export type HostLimits = z.infer<typeof hostLimits>;

export type Caps = Pick<Settings, 'rate_per_minute' | 'rate_per_hour' | 'rate_per_day'>;

/**
 * Caps below a host's limits. Where none is stated for the minute it is left as it is, but not above what a stated hour or day
 * could give away within ten minutes: a shop that sells a lot at noon should not be silent until one.
 */
export function capsBelow(limits: HostLimits, now: Pick<Caps, 'rate_per_minute'>): Caps {
  const below = (limit: number | null) => (limit === null ? 0 : Math.max(1, Math.floor(limit * share)));
  const [minute, hour, day] = [below(limits.minute), below(limits.hour), below(limits.day)];
  const spread = Math.min(
    hour === 0 ? Number.POSITIVE_INFINITY : Math.ceil(hour / 10),
    day === 0 ? Number.POSITIVE_INFINITY : Math.ceil(day / 10),
  );
  const wanted = minute === 0 ? Math.min(now.rate_per_minute, spread) : minute;
  return {
    rate_per_minute: Math.min(60, Math.max(1, wanted)),
    rate_per_hour: hour,
    rate_per_day: day,
  };
}

/** Where to find the limit of common hosts and mail providers. Figures are what they published in 2026, and they change. */
export interface KnownHost {
  id: string;
  name: string;
  usual: HostLimits;
}

export const noLimits: HostLimits = { minute: null, hour: null, day: null };
export const knownHosts = [
  // "Max hourly emails per domain" of a package; 200 to 500 are usual on shared hosting (FINDINGS 7)
  { id: 'cpanel', name: 'cPanel', usual: { ...noLimits, hour: 200 } },
  { id: 'plesk', name: 'Plesk', usual: { ...noLimits, hour: 200 } },
  // counts days
  { id: 'directadmin', name: 'DirectAdmin', usual: { ...noLimits, day: 1_000 } },
  { id: 'ispconfig', name: 'ISPmanager, ISPConfig', usual: noLimits },
  { id: 'microsoft', name: 'Microsoft 365', usual: { minute: 30, hour: null, day: 10_000 } },
  { id: 'google', name: 'Google Workspace', usual: { ...noLimits, day: 2_000 } },
  { id: 'gmail', name: 'Gmail', usual: { ...noLimits, day: 500 } },
  { id: 'sending', name: 'Brevo, Mailgun, Amazon SES', usual: noLimits },
  { id: 'other', name: '', usual: noLimits },
] as const satisfies readonly KnownHost[];
export type KnownHostId = (typeof knownHosts)[number]['id'];

/** What a host is known to allow; nothing for one that nobody has chosen. */
export const usualLimits = (host: KnownHostId | null): HostLimits =>
  knownHosts.find(({ id }) => id === host)?.usual ?? noLimits;
