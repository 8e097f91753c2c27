/** Where WordPress is: the files of Debian's package, or those of WORDPRESS_DIR. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/source-tree.ts';

/** The folder with wp-settings.php. */
export function wordpressFolder(): string {
  const folders = [
    process.env['WORDPRESS_DIR'],
    '/usr/share/wordpress',
    path.join(root, 'out/debian/usr/share/wordpress'),
  ];
  const found = folders.find((folder) => folder && existsSync(path.join(folder, 'wp-settings.php')));
  if (!found)
    throw new Error('WordPress is not there. Unpack it anywhere and name that folder in WORDPRESS_DIR.');
  return found;
}

export const connectorFolder = path.join(root, 'assets/shop-connector');
