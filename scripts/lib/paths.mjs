import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, wherever the scripts are called from. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const inRoot = (...parts) => path.join(root, ...parts);
