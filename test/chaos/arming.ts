/** Turns the faults of a plan into what waits for its point: in a worker, or in the mail server. */
import type { Console } from './console.ts';
import type { Planned } from './plan.ts';
import { isWirePoint, type WireArm, wirePoints } from './words.ts';

/** Gives a console its arm or quirk, or answers the arm for the mail server. Timed faults wait for nothing. */
export function armFault(fault: Planned, console: Console): WireArm | null {
  const { id, skip } = fault;
  switch (fault.type) {
    case 'kill':
    case 'stop': {
      if (!isWirePoint(fault.point)) {
        console.arms.push({ id, point: fault.point, action: fault.type, skip });
        return null;
      }
      const action = { signal: fault.type === 'kill' ? ('SIGKILL' as const) : ('SIGSTOP' as const) };
      const arm = { id, step: wirePoints[fault.point], action, user: console.setup.name };
      // the middle of a short mail is over before the signal is there
      return fault.point === 'mid-body' ? { ...arm, skip: 0, recipient: 'big-' } : { ...arm, skip };
    }
    case 'hold':
      console.arms.push({ id, point: fault.point, action: 'hold', skip });
      return null;
    case 'wire': {
      const { step, action, recipient } = fault;
      // the door is passed once a connection, not once a mail
      const most = isDoor(fault) ? Math.min(skip, 1) : skip;
      return { id, step, action, skip: most, ...(recipient ? { recipient } : {}) };
    }
    case 'quirk':
      Object.assign(console.quirks, fault.quirks);
      return null;
    default:
      return null;
  }
}

/** Whether a fault of the wire acts before any mail is talked about. */
export function isDoor(fault: Planned & { type: 'wire' }): boolean {
  return fault.step === 'greet' || fault.step === 'ehlo' || fault.step === 'auth';
}
