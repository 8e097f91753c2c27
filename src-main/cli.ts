/** Entry of the engine without a window: checkouts and servers (DESIGN section 6). */

import { version } from '../package.json';
import { exits } from './cli/exit.ts';
import { Interrupt } from './cli/interrupt.ts';
import { Io } from './cli/io.ts';
import { runCli, tell } from './cli/main.ts';

/** ms that whatever still holds the process open is given, once its work is done and its answer known */
const lingerMs = 2_000;

const io = new Io(process);
const interrupt = new Interrupt(() =>
  io.say('Interrupted: settling what is in flight. Once more ends at once.'),
);
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => process.exit(tell(error, io)));
}
process.exitCode = await runCli(process.argv.slice(2), { io, interrupt, version, exit: exits.done });
setTimeout(() => process.exit(), lingerMs).unref();
