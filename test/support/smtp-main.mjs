/**
 * The scripted SMTP server as a process of its own. Over IPC it takes `{do:'start', options, rules}` once, then
 * `{do:'rules', rules}`, `{do:'report'}`, `{do:'cut', how}` and `{do:'stop'}`; it tells `{ev:'up', port}`,
 * `{ev:'mail', ...}` for each accepted mail (without its bytes) and `{ev:'report', ...}`.
 */
import { behaviourOf, startSmtpServer } from './smtp-core.mjs';

let server = null;

process.on('message', async (order) => {
  switch (order.do) {
    case 'start':
      server = await startSmtpServer({ ...order.options, behaviour: behaviourOf(order.rules ?? []) });
      server.onMail = ({ raw, ...mail }) =>
        process.send({ ev: 'mail', mail: { ...mail, bytes: raw.length } });
      process.send({ ev: 'up', port: server.port });
      break;
    case 'rules':
      server.behaviour = behaviourOf(order.rules);
      process.send({ ev: 'rules' });
      break;
    case 'report':
      process.send({
        ev: 'report',
        mails: server.mails.map(({ raw: _raw, ...mail }) => mail),
        conversations: server.conversations,
        connections: server.connections,
        mostOpen: server.mostOpen,
        dots: server.dots,
      });
      break;
    case 'cut':
      server.cutAll(order.how);
      break;
    case 'stop':
      process.exit(0);
  }
});
process.on('disconnect', () => process.exit(0));
