import { type KnownHostId, knownHosts } from '../../../src-main/contract/host-limits.ts';
import type { HostSaid } from '../../settings/HostLimitsFields.tsx';

/** Mail servers whose operator is known by their names. */
const known: readonly [RegExp, KnownHostId][] = [
  [/(^|\.)(office365|outlook)\.com$/, 'microsoft'],
  [/^smtp-relay\.gmail\.com$/, 'google'],
  [/(^|\.)(gmail|googlemail)\.com$/, 'gmail'],
  [/(^|\.)(brevo\.com|sendinblue\.com|mailgun\.org|amazonaws\.com)$/, 'sending'],
];

/** Mails an hour that even small packages of shared hosting allow (FINDINGS 7: 200 to 500 are usual). */
const careful = 200;

/** What to begin with: what is known of the mail server's operator, else a limit that nearly every host allows. */
export function guessHost(smtpHost: string): HostSaid {
  const id = known.find(([name]) => name.test(smtpHost.trim().toLowerCase()))?.[1] ?? 'other';
  const usual = knownHosts.find((one) => one.id === id)?.usual ?? { minute: null, hour: null, day: null };
  const nothing = Object.values(usual).every((limit) => limit === null);
  return { host: id, limits: nothing ? { ...usual, hour: careful } : usual };
}
