/** npm run bench: each figure as a ratio to bare nodemailer in the same run. Prints a Markdown table. */

import { grantAndClaimTimes } from './claim.ts';
import { connectorTimes } from './connector.ts';
import { drainAgainstBare } from './drain.ts';
import { drainFarAway } from './far.ts';
import { filterTimes } from './filter.ts';
import { drainThroughTunnel } from './tunnel.ts';
import { windowFigures } from './window.ts';

const only = process.argv.slice(2);
const wanted = (name: string) => only.length === 0 || only.includes(name);
if (wanted('drain')) await drainAgainstBare();
if (wanted('far')) await drainFarAway();
if (wanted('tunnel')) await drainThroughTunnel();
if (wanted('claim')) await grantAndClaimTimes();
if (wanted('filter')) await filterTimes();
if (wanted('connector')) await connectorTimes();
if (wanted('window')) await windowFigures();
process.exit(0);
