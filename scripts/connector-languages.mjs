// npm run connector: makes what is made of the connector's sources, all of which is committed: the .pot of its strings, each
// .po in its order, each .mo, and the manifest of what is copied into a shop.
import fs from 'node:fs';
import { inConnector, madeLanguages, madeManifest, manifestName } from './lib/connector.mjs';
import { say } from './lib/say.mjs';

for (const [name, bytes] of madeLanguages()) write(name, bytes);
write(manifestName, madeManifest());

function write(name, bytes) {
  const file = inConnector(name);
  if (fs.existsSync(file) && fs.readFileSync(file).equals(bytes)) return;
  fs.writeFileSync(file, bytes);
  say(`${name} made anew`);
}
