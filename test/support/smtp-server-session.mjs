/** One connection to the scripted SMTP server (smtp-core.mjs). */
import tls from 'node:tls';

const defaults = {
  greet: '220 witness ESMTP',
  mail: '250 2.1.0 Ok',
  rcpt: '250 2.1.5 Ok',
  data: '354 End data with <CR><LF>.<CR><LF>',
  rset: '250 2.0.0 Ok',
  noop: '250 2.0.0 Ok',
  quit: '221 2.0.0 Bye',
};

export class SmtpServerSession {
  constructor(server, socket) {
    this.server = server;
    this.number = ++server.connections;
    this.buffer = Buffer.alloc(0);
    this.busy = false;
    this.user = null;
    this.secure = Boolean(server.options.secure);
    this.attach(socket);
    this.clear();
  }

  attach(socket) {
    this.socket = socket;
    const { sockets } = this.server;
    sockets.add(socket);
    this.server.mostOpen = Math.max(this.server.mostOpen, sockets.size);
    socket.setNoDelay?.(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('end', () => socket.end());
    socket.on('data', (chunk) => {
      this.touch();
      this.append(chunk);
      void this.work();
    });
  }

  /** Room doubles as it is needed: a mail of megabytes arrives in thousands of pieces. */
  append(chunk) {
    const kept = this.buffer.length;
    if (kept === 0) {
      this.buffer = chunk;
      return;
    }
    const start = this.buffer.byteOffset;
    const room = this.buffer.buffer.byteLength - start;
    if (this.owned === this.buffer.buffer && room >= kept + chunk.length) {
      const wider = Buffer.from(this.owned, start, kept + chunk.length);
      chunk.copy(wider, kept);
      this.buffer = wider;
      return;
    }
    const store = Buffer.allocUnsafeSlow((kept + chunk.length) * 2);
    this.owned = store.buffer;
    this.buffer.copy(store);
    chunk.copy(store, kept);
    this.buffer = store.subarray(0, kept + chunk.length);
  }

  clear() {
    this.searched = 0;
    this.sender = null;
    this.recipients = [];
    this.refused = [];
    this.inBody = false;
    this.bodySeen = false;
  }

  begin() {
    this.touch();
    void this.answer('greet', {}, defaults.greet);
  }

  touch() {
    const { idleMs, idleReply } = this.server.options;
    if (!idleMs) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      if (idleReply) this.socket.write(`${idleReply}\r\n`);
      cut(this.socket, 'fin');
    }, idleMs);
    this.idle.unref();
  }

  /** Commands are answered one after the other, however many came at once. */
  async work() {
    if (this.busy) return;
    this.busy = true;
    try {
      while (!this.socket.destroyed && (this.inBody ? await this.body() : await this.command()));
    } finally {
      this.busy = false;
    }
  }

  async command() {
    const end = this.buffer.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.buffer.toString('utf8', 0, end);
    this.buffer = this.buffer.subarray(end + 2);
    if (this.server.options.keepCommands !== false) this.server.commands.push(line);
    const verb = line.slice(0, 4).toUpperCase();
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        await this.answer('ehlo', { text: line }, this.capabilities());
        return true;
      case 'STAR':
        return this.startTls();
      case 'AUTH':
        return this.login(line);
      case 'MAIL':
        return this.mailFrom(line);
      case 'RCPT':
        return this.rcptTo(line);
      case 'DATA': {
        const reply =
          this.recipients.length === 0 && !this.server.options.dataWithoutRecipients
            ? '554 5.5.1 No valid recipients'
            : defaults.data;
        const given = await this.answer('data', {}, reply);
        this.inBody = given.startsWith('3');
        this.searched = 0;
        this.bodySeen = false;
        return true;
      }
      case 'RSET':
        this.clear();
        await this.answer('rset', {}, defaults.rset);
        return true;
      case 'NOOP':
        await this.answer('noop', {}, defaults.noop);
        return true;
      case 'QUIT':
        await this.answer('quit', {}, defaults.quit);
        this.socket.end();
        return true;
      default:
        this.say('502 5.5.2 Command not recognized');
        return true;
    }
  }

  capabilities() {
    const { options } = this.server;
    const lines = ['witness', '8BITMIME', 'ENHANCEDSTATUSCODES'];
    if (options.size !== undefined) lines.push(`SIZE ${options.size}`);
    if (options.pipelining) lines.push('PIPELINING');
    if (options.smtpUtf8 !== false) lines.push('SMTPUTF8');
    if (options.tls && !this.secure) lines.push('STARTTLS');
    if (options.users && (this.secure || !options.tls))
      lines.push(`AUTH ${(options.authMethods ?? ['PLAIN', 'LOGIN']).join(' ')}`);
    return lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
  }

  async startTls() {
    const given = await this.answer('starttls', {}, '220 2.0.0 Ready to start TLS');
    if (!given.startsWith('2')) return true;
    const plain = this.socket;
    plain.removeAllListeners('data');
    plain.removeAllListeners('end');
    this.server.sockets.delete(plain);
    this.buffer = Buffer.alloc(0);
    this.secure = true;
    this.attach(new tls.TLSSocket(plain, { isServer: true, ...this.server.options.tls }));
    return false;
  }

  async login(line) {
    const [, method = '', initial = ''] = line.split(' ');
    const decode = (text) => Buffer.from(text, 'base64').toString();
    if (method.toUpperCase() === 'PLAIN') {
      const [, user, password] = decode(initial || (await this.ask(''))).split('\0');
      return this.judge(user, password);
    }
    const user = decode(initial || (await this.ask('VXNlcm5hbWU6')));
    return this.judge(user, decode(await this.ask('UGFzc3dvcmQ6')));
  }

  async ask(words) {
    this.say(`334 ${words}`);
    for (;;) {
      const end = this.buffer.indexOf('\r\n');
      if (end >= 0) {
        const line = this.buffer.toString('utf8', 0, end);
        this.buffer = this.buffer.subarray(end + 2);
        return line;
      }
      if (this.socket.destroyed) return '';
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async judge(user, password) {
    const right = this.server.options.users?.[user] === password;
    const reply = right
      ? '235 2.7.0 Authentication successful'
      : '535 5.7.8 Username and Password not accepted';
    const given = await this.answer('auth', { user }, reply);
    if (given.startsWith('2')) this.user = user;
    this.server.logins.push({ at: Date.now(), user, ok: given.startsWith('2') });
    return true;
  }

  async mailFrom(line) {
    this.clear();
    this.sender = /<(.*?)>/.exec(line)?.[1] ?? '';
    this.parameters = line.slice(line.indexOf('>') + 1).trim();
    const needsLogin =
      this.server.options.users && this.server.options.requireLogin !== false && this.user === null;
    this.startedAt = Date.now();
    this.sequence = this.server.conversations.length + 1;
    this.server.conversations.push({ at: this.startedAt, connection: this.number, from: this.sender });
    await this.answer(
      'mail',
      { text: line },
      needsLogin ? '530 5.7.0 Authentication required' : defaults.mail,
    );
    return true;
  }

  async rcptTo(line) {
    const recipient = /<(.*?)>/.exec(line)?.[1] ?? '';
    const given = await this.answer('rcpt', { recipient, text: line }, defaults.rcpt);
    if (given.startsWith('2')) this.recipients.push(recipient);
    else this.refused.push(recipient);
    return true;
  }

  async body() {
    if (!this.bodySeen && this.buffer.length > 0) {
      this.bodySeen = true;
      const action = asAction(this.server.behaviour(this.event('body', {})));
      if (action && (await this.act(action, null)) === null) return false;
    }
    const whole = this.buffer.subarray(0, 3).equals(Buffer.from('.\r\n'))
      ? 0
      : this.buffer.indexOf('\r\n.\r\n', this.searched) + 2;
    if (whole === 1) {
      this.searched = Math.max(0, this.buffer.length - 4);
      return false;
    }
    const stuffed = this.buffer.subarray(0, whole);
    this.buffer = this.buffer.subarray(whole + 3);
    this.inBody = false;
    this.server.dots++;
    const keep = this.server.options.keepRaw !== false;
    const text = stuffed.toString('latin1', 0, keep ? stuffed.length : 65_536);
    const raw = keep ? Buffer.from(text.replace(/(^|\r\n)\.\./g, '$1.'), 'latin1') : Buffer.alloc(0);
    const messageId = /^message-id:\s*(\S+)/im.exec(text.slice(0, 65_536))?.[1] ?? null;
    const id = `W${this.server.dots.toString(36).toUpperCase()}`;
    const mail = {
      startedAt: this.startedAt,
      at: 0,
      connection: this.number,
      sequence: this.sequence,
      from: this.sender,
      parameters: this.parameters,
      to: [...this.recipients],
      refused: [...this.refused],
      user: this.user,
      secure: this.secure,
      messageId,
      bytes: stuffed.length,
      raw,
    };
    // a mail counts as accepted when the server decided so, whether or not its answer arrives
    await this.answer('dot', { messageId, raw }, `250 2.0.0 Ok: queued as ${id}`, (reply) => {
      if (!reply.startsWith('2')) return;
      mail.at = Date.now();
      this.server.accepted(mail);
    });
    this.clear();
    return true;
  }

  event(step, more) {
    return {
      step,
      connection: this.number,
      sequence: this.sequence ?? 0,
      sender: this.sender,
      recipients: [...this.recipients],
      recipient: null,
      messageId: null,
      raw: null,
      user: this.user,
      text: '',
      ...more,
    };
  }

  /** Asks the behaviour, then answers with its words or the usual ones. Gives what was said, '' for nothing. */
  async answer(step, more, usual, decided) {
    const action = asAction(this.server.behaviour(this.event(step, more)));
    if (!action) {
      decided?.(usual);
      this.say(usual);
      return usual;
    }
    return (await this.act(action, usual, decided)) ?? '';
  }

  /** Gives null when the connection was cut or falls silent. */
  async act(action, usual, decided) {
    if (action.delayMs) await new Promise((resolve) => setTimeout(resolve, action.delayMs));
    const reply = action.reply ?? usual;
    if (action.decide !== false && reply !== null && ((!action.drop && !action.silent) || action.reply))
      decided?.(reply);
    if (action.drop) {
      cut(this.socket, action.drop);
      return null;
    }
    if (action.silent) {
      this.inBody = false;
      this.buffer = Buffer.alloc(0);
      this.socket.removeAllListeners('data');
      this.socket.resume();
      return null;
    }
    if (reply === null) return '';
    if (action.split) {
      this.socket.write(reply.slice(0, 5));
      await new Promise((resolve) => setTimeout(resolve, 20));
      this.socket.write(`${reply.slice(5)}\r\n`);
    } else this.say(reply);
    if (action.thenDrop) setImmediate(() => cut(this.socket, action.thenDrop));
    return reply;
  }

  say(text) {
    if (!this.socket.destroyed && this.socket.writable) this.socket.write(`${text}\r\n`);
  }
}

function asAction(given) {
  if (given === undefined || given === null) return null;
  return typeof given === 'string' ? { reply: given } : given;
}

export function cut(socket, how) {
  if (how === 'fin') {
    socket.end();
    setTimeout(() => socket.destroy(), 50).unref();
  } else if (typeof socket.resetAndDestroy === 'function' && !socket.encrypted) socket.resetAndDestroy();
  else socket.destroy();
}
