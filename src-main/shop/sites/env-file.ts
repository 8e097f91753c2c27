/** characters: such files have a few dozen lines */
const largestEnv = 64 * 1024;

/** `KEY=value` lines of a .env file, as its usual readers take them. */
export function readEnvFile(text: string): Map<string, string> {
  const env = new Map<string, string>();
  for (const line of text.slice(0, largestEnv).split(/\r?\n/)) {
    const found = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!found?.[1]) continue;
    const raw = found[2] ?? '';
    const quoted = /^(['"])((?:\\[\s\S]|(?!\1)[\s\S])*)\1/.exec(raw);
    if (!quoted) env.set(found[1], raw.replace(/\s+#.*$/, ''));
    else if (quoted[1] === "'") env.set(found[1], quoted[2] ?? '');
    else env.set(found[1], (quoted[2] ?? '').replace(/\\n/g, '\n').replace(/\\(["\\$])/g, '$1'));
  }
  return env;
}
