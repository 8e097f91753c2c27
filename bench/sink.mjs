// A mail server that takes everything at once and counts, in a process of its own: the same floor for every contestant.
// Speaks to its parent over IPC: {want} resets it, it answers {full, atMs} when so many different recipients were served.
import net from 'node:net';

let want = 0;
let seen = new Set();
let again = 0;
const endOfMail = Buffer.from('\r\n.\r\n');

const server = net.createServer((socket) => {
  let buffer = Buffer.alloc(0);
  let inMail = false;
  let recipient = '';
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk) => {
    buffer = buffer.length ? Buffer.concat([buffer, chunk]) : chunk;
    for (;;) {
      if (inMail) {
        const at = buffer.indexOf(endOfMail);
        if (at < 0) return;
        buffer = buffer.subarray(at + endOfMail.length);
        inMail = false;
        if (seen.has(recipient)) again += 1;
        seen.add(recipient);
        socket.write('250 2.0.0 queued\r\n');
        if (want > 0 && seen.size === want) {
          process.send({ full: true, atMs: Date.now(), again });
          want = 0;
        }
        continue;
      }
      const at = buffer.indexOf(10);
      if (at < 0) return;
      const line = buffer.toString('latin1', 0, at);
      buffer = buffer.subarray(at + 1);
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') socket.write('250-sink\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 52428800\r\n');
      else if (verb === 'RCPT') {
        recipient = line.slice(line.indexOf('<') + 1, line.indexOf('>'));
        socket.write('250 2.1.5 ok\r\n');
      } else if (verb === 'DATA') {
        inMail = true;
        socket.write('354 go\r\n');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', (message) => {
  want = message.want;
  seen = new Set();
  again = 0;
  process.send({ ready: true });
});
process.on('disconnect', () => process.exit(0));
