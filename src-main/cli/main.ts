/** The command line program: which commands there are, and how their errors become words and exit codes. */
import { Command, CommanderError } from 'commander';
import { toWireError } from '../contract/errors.ts';
import { redact } from '../contract/redact.ts';
import { changeCommands } from './commands/change.ts';
import { connectorCommand } from './commands/connector.ts';
import { demoCommand } from './commands/demo.ts';
import { discoverCommand } from './commands/discover.ts';
import { doctorCommand } from './commands/doctor.ts';
import { drainCommand } from './commands/drain.ts';
import { enqueueCommand } from './commands/enqueue.ts';
import { listCommand } from './commands/list.ts';
import { logCommand } from './commands/log.ts';
import { schemaCommand } from './commands/schema.ts';
import { showCommand } from './commands/show.ts';
import { stateCommands } from './commands/state.ts';
import { statusCommand } from './commands/status.ts';
import { type Exit, exitOfError, exits } from './exit.ts';
import type { Io } from './io.ts';
import type { Tools } from './open.ts';
import { withCommon } from './options.ts';
import { plain } from './text.ts';

const afterHelp = `
Exit codes: 0 done; 1 done, but some mail failed or is in doubt; 2 wrong usage or config;
3 could not reach something; 130 interrupted, after settling what was in flight.
Try it without a shop: postroom demo`;

/** Runs one command line (without node and script) and answers its exit code. Never rejects. */
export async function runCli(words: readonly string[], tools: Tools): Promise<Exit> {
  try {
    await programFor(tools).parseAsync(words, { from: 'user' });
    return tools.exit;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return endOfCommander(thrown, tools.io);
    return tell(thrown, tools.io);
  }
}

function programFor(tools: Tools): Command {
  const program = new Command('postroom')
    .description("Drains a web shop's mail queue at a steady pace.")
    .version(tools.version, '-V, --version', 'the version of this program')
    .helpOption('-h, --help', 'how a command is used')
    .addHelpText('after', afterHelp)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  withCommon(program);
  const register = [
    demoCommand,
    drainCommand,
    statusCommand,
    doctorCommand,
    discoverCommand,
    schemaCommand,
    connectorCommand,
    stateCommands,
    enqueueCommand,
    listCommand,
    showCommand,
    changeCommands,
    logCommand,
  ];
  for (const add of register) add(program, tools);
  return program;
}

/** Help and version are done; anything else that commander stops at is wrong usage, told in one line. */
function endOfCommander(error: CommanderError, io: Io): Exit {
  if (error.exitCode === 0) return exits.done;
  if (error.code === 'commander.help') return exits.usage; // no command at all: the help was shown
  io.say(`postroom: ${plain(error.message.replace(/^error: /, ''))}. See postroom --help`.replace('..', '.'));
  return exits.usage;
}

/** One clear line: what happened, what to do. Stack and driver's words only for whoever asked for them. */
export function tell(thrown: unknown, io: Io): Exit {
  io.status('');
  const { code, message, detail } = toWireError(thrown);
  io.say(`${io.paintWords('red', 'postroom:')} ${plain(message)}`);
  if (io.env['POSTROOM_DEBUG'] === '1') {
    if (detail) io.say(redact(plain(detail)));
    for (let at: unknown = thrown; at instanceof Error; at = at.cause) io.say(redact(at.stack ?? at.message));
  }
  return exitOfError(code);
}
