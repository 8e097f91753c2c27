import { mariadbBench } from './bench.ts';
import { queueContract } from './queue-contract.ts';

queueContract('MariaDB', mariadbBench);
