import { sqliteBench } from './bench.ts';
import { queueContract } from './queue-contract.ts';

queueContract('the embedded database', sqliteBench);
