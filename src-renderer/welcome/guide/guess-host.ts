import { type KnownHostId, usualLimits } from '../../../src-main/contract/host-limits.ts';
import { type HostSaid, isStated } from '../../settings/HostLimitsFields.tsx';

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
  const usual = usualLimits(id);
  return { host: id, limits: isStated(usual) ? usual : { ...usual, hour: careful } };
}
