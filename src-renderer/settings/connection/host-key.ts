import type { DoctorStep } from '../../../src-main/contract/desk.ts';
import type { WireError } from '../../../src-main/contract/errors.ts';

const fingerprint = /SHA256:[A-Za-z0-9+/]{43}=?/;

/** The fingerprint that an SSH server showed, where that is what kept a connection from being made; else null. */
export function shownKey(
  error: Pick<WireError, 'code' | 'message'> | null,
  steps: readonly DoctorStep[] = [],
): string | null {
  const words =
    error?.code === 'host-key'
      ? error.message
      : steps.find(({ id, color }) => id === 'ssh.host-key' && color === 'red')?.found;
  // the words name the key that was shown before the one that was expected
  return fingerprint.exec(words ?? '')?.[0] ?? null;
}
