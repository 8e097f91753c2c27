import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';

/** A text as PHP has it between single quotes. */
export const phpText = (value: string | null): string => `'${String(value ?? '').replace(/[\\']/g, '\\$&')}'`;

/** The wp-config.php of a site whose database that is, readable by the server's login, which is another user than ours. */
export function writeWpConfig(
  folder: string,
  { database, user, password, port }: ServerDatabase,
  { prefix, more = '' }: { prefix: string; more?: string },
): void {
  const file = path.join(folder, 'wp-config.php');
  writeFileSync(
    file,
    `<?php
define( 'DB_NAME', ${phpText(database)} );
define( 'DB_USER', ${phpText(user)} );
define( 'DB_PASSWORD', ${phpText(password)} );
define( 'DB_HOST', '127.0.0.1:${port}' );
${more}$table_prefix = '${prefix}';
require_once ABSPATH . 'wp-settings.php';
`,
  );
  chmodSync(file, 0o644);
}
