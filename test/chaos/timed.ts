/** Faults that need no point: the database freezes, the wall clock steps, a person changes the settings in mid-drain. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BrokenPromise } from './broken.ts';
import type { TimedDeed } from './catalogue.ts';
import type { Console } from './console.ts';
import type { Dice } from './dice.ts';
import type { Stage } from './stage.ts';
import type { Witness } from './witness.ts';

interface Surroundings {
  stage: Stage;
  witness: Witness;
  console: Console;
  dice: Dice;
  restart(console: Console): Promise<void>;
}

/** Does it; false when there was nothing to do it to just now. */
export async function doTimed(
  deed: TimedDeed,
  { stage, witness, console, dice, restart }: Surroundings,
): Promise<boolean> {
  const { server } = stage;
  const { pending, sending } = await stage.unfinished();
  if (pending + sending === 0 || !console.running || console.stopped) return false;
  switch (deed) {
    case 'db-freeze':
      await stage.alone(async () => {
        await server.freeze();
        await sleep(dice.whole(300, 1_200));
        server.thaw();
      });
      return true;
    case 'db-kill':
      await stage.alone(async () => {
        await server.kill();
        await sleep(dice.whole(0, 500));
        await server.start();
        await server.admin(`SET GLOBAL time_zone = '${stage.plan.serverZone}'`);
      });
      return true;
    case 'db-cut-idle':
      return (await stage.cutConnections(true)) > 0;
    case 'wake-resume':
    case 'wake-network':
      console.order({ do: 'wake', reason: deed === 'wake-resume' ? 'resume' : 'network' });
      return true;
    case 'quit': {
      // in good order: whatever had not passed its guard is given back, the rest is waited for
      const { id } = console;
      if (id === null) return false;
      if (!(await console.end(20_000))) throw new BrokenPromise('a console did not end when asked to');
      const left = await stage.query(
        `SELECT q.id FROM ${stage.t.queue} q JOIN ${stage.t.attempts} a ON a.claim_id = q.claim_id
         WHERE q.state = 'sending' AND a.console_id = ?`,
        [id],
      );
      if (left.length > 0)
        throw new BrokenPromise(`a console that ended in good order left ${left.length} rows in sending`);
      await restart(console);
      return true;
    }
    case 'smtp-cut':
      await witness.cut(dice.pick(['fin', 'rst']));
      return true;
    case 'clock-10min':
    case 'clock-day':
    case 'clock-back': {
      const ms = { 'clock-10min': 600_000, 'clock-day': 86_400_000, 'clock-back': -86_400_000 }[deed];
      const stepped = console.until((told) => told.ev === 'clock', 15_000, 'step its clock');
      console.order({ do: 'clock', ms });
      return stepped;
    }
    case 'settings-rate':
      await stage.changeCap();
      return true;
    case 'settings-draining':
    case 'settings-disabled':
      await stage.setState(deed === 'settings-draining' ? 'draining' : 'disabled');
      return true;
    case 'person-pause':
      await stage.pauseByPerson(dice.whole(300, 800));
      return true;
  }
}
