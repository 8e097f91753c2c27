/** Where PHP would connect: WordPress's own reading of DB_HOST (host, host:port, host:/socket, [::1]:port). */
export function readDbHost(dbHost: string): { host: string; port: number; socketPath: string | null } {
  const text = dbHost.trim().replace(/^p:/, '');
  const socket = /^(.*?):(\/.*)$/.exec(text);
  if (socket) return { host: socket[1] || 'localhost', port: 3306, socketPath: socket[2] ?? null };
  const bracketed = /^\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed) return { host: bracketed[1] ?? '::1', port: portOf(bracketed[2]), socketPath: null };
  // more than one colon: an IPv6 address without brackets
  if (text.split(':').length > 2) return { host: text, port: 3306, socketPath: null };
  const [host, port] = text.split(':');
  return { host: host || 'localhost', port: portOf(port), socketPath: null };
}

function portOf(text: string | undefined): number {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 3306;
}
