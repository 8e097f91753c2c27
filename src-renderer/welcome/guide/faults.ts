import type { Draft } from '../../settings/connection/draft.ts';

/** What can be wrong with a field, by its key under `guide.fault`. */
export type Fault =
  | 'empty'
  | 'host'
  | 'fingerprint'
  | 'prefix'
  | 'sender'
  | 'columns'
  | 'zone'
  | 'userMissing';
export type Faults = Partial<Record<keyof Draft, Fault>>;
/** The steps that have fields. */
export type FieldStep = 'server' | 'shop' | 'mail';

/** What contract/profile.ts would refuse, told at the field; and what people paste where a host's name belongs. */
export function faultsOf(step: FieldStep, draft: Draft, smtpPassword: boolean): Faults {
  const faults: Faults = {};
  const needs = (...fields: (keyof Draft)[]) => {
    for (const field of fields) if (String(draft[field]).trim() === '') faults[field] = 'empty';
  };
  const must = (field: keyof Draft, pattern: RegExp, fault: Fault) => {
    if (!faults[field] && !pattern.test(String(draft[field]).trim())) faults[field] = fault;
  };
  if (step === 'server' && draft.viaSsh) {
    needs('sshHost', 'sshUser');
    must('sshHost', host, 'host');
    must('sshHostKey', /^(?:SHA256:[A-Za-z0-9+/]{43}=?)?$/, 'fingerprint');
  }
  if (step === 'shop') {
    needs('name', 'dbUser', 'dbName', 'dbHost');
    must('dbHost', host, 'host');
    must('dbPrefix', /^[A-Za-z0-9_$]*$/, 'prefix');
    if (draft.shape !== 'studiou-wcmq') {
      must('layoutTable', /^[A-Za-z0-9_$]*$/, 'prefix');
      must('layoutFailedTable', /^[A-Za-z0-9_$]*$/, 'prefix');
      must(
        'layoutZone',
        /^(?:|SYSTEM|[+-]\d{2}:\d{2}|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*)$/, // contract/profile.ts, timeZone
        'zone',
      );
      const lines = draft.layoutColumns.split(/[\n,;]/).filter((line) => line.trim() !== '');
      if (!lines.every((line) => /^\s*[\w$]+\s*=\s*[\w$]+\s*$/.test(line))) faults.layoutColumns = 'columns';
    }
  }
  if (step === 'mail') {
    needs('from', 'smtpHost');
    must('from', /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/, 'sender');
    must('smtpHost', host, 'host');
    if (smtpPassword && draft.smtpUser.trim() === '') faults.smtpUser = 'userMissing';
  }
  return faults;
}

/** A name or an address alone: no user before an @, no scheme, no path. A colon is left to IPv6. */
const host = /^[^\s@/]*$/;
