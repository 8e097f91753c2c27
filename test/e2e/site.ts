import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerDatabase } from '../../src-main/contract/profile.ts';
import { writeWpConfig } from '../support/wp-config.ts';

/** A WordPress in the login's folder, as far as its files tell of the database. */
export function putSite(home: string, login: ServerDatabase, prefix: string): void {
  const folder = path.join(home, 'public_html');
  mkdirSync(path.join(folder, 'wp-content'), { recursive: true });
  for (const file of ['wp-settings.php', 'wp-load.php']) writeFileSync(path.join(folder, file), '<?php\n');
  writeWpConfig(folder, login, { prefix });
}
