import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';

/** A WordPress in the login's folder, as far as its files tell of the database. */
export function putSite(home: string, login: ServerDatabase, prefix: string): void {
  const folder = path.join(home, 'public_html');
  mkdirSync(path.join(folder, 'wp-content'), { recursive: true });
  for (const file of ['wp-settings.php', 'wp-load.php']) writeFileSync(path.join(folder, file), '<?php\n');
  const text = (value: string | null) => `'${String(value ?? '').replace(/[\\']/g, '\\$&')}'`;
  writeFileSync(
    path.join(folder, 'wp-config.php'),
    `<?php
define( 'DB_NAME', ${text(login.database)} );
define( 'DB_USER', ${text(login.user)} );
define( 'DB_PASSWORD', ${text(login.password)} );
define( 'DB_HOST', '127.0.0.1:${login.port}' );
$table_prefix = '${prefix}';
require_once ABSPATH . 'wp-settings.php';
`,
  );
  chmodSync(path.join(folder, 'wp-config.php'), 0o644); // the login is another user than ours
}
