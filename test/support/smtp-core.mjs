/**
 * A scripted SMTP server on loopback: the tests' witness of what was really sent, when, and over how many connections.
 * Plain JavaScript, so that it also runs as a process of its own (smtp-main.mjs). Types: smtp-core.d.mts.
 */
import net from 'node:net';
import tls from 'node:tls';
import { cut, SmtpServerSession } from './smtp-server-session.mjs';

export async function startSmtpServer(options = {}) {
  const server = new ScriptedServer(options);
  await server.listen();
  return server;
}

class ScriptedServer {
  constructor(options) {
    this.options = options;
    this.behaviour = options.behaviour ?? (() => undefined);
    this.mails = [];
    this.conversations = [];
    this.commands = [];
    this.logins = [];
    this.connections = 0;
    this.mostOpen = 0;
    this.dots = 0;
    this.port = 0;
    this.onMail = null;
    this.sockets = new Set();
    this.waiters = [];
    const accept = (socket) => new SmtpServerSession(this, socket).begin();
    this.net = options.secure
      ? tls.createServer({ ...options.tls }, accept)
      : net.createServer({ allowHalfOpen: true }, accept);
    this.net.on('tlsClientError', () => {});
  }

  get open() {
    return this.sockets.size;
  }

  listen() {
    return new Promise((resolve, reject) => {
      this.net.once('error', reject);
      this.net.listen(this.options.port ?? 0, this.options.host ?? '127.0.0.1', () => {
        this.port = this.net.address().port;
        resolve();
      });
    });
  }

  accepted(mail) {
    this.mails.push(mail);
    this.onMail?.(mail);
    this.waiters = this.waiters.filter(({ count, done }) => {
      if (this.mails.length < count) return true;
      done();
      return false;
    });
  }

  /** Resolves when `count` mails were accepted; rejects after `ms`. */
  waitForMails(count, ms = 10_000) {
    if (this.mails.length >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.mails.length} of ${count} mails after ${ms} ms`)),
        ms,
      );
      this.waiters.push({
        count,
        done: () => {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }

  /** Cuts every open connection. */
  cutAll(how = 'rst') {
    for (const socket of this.sockets) cut(socket, how);
  }

  close() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.net.close(() => resolve()));
  }
}

/**
 * A behaviour out of plain rules, for a server in another process: the first rule that fits and is not used up acts.
 */
export function behaviourOf(rules) {
  const left = rules.map((rule) => rule.times ?? Number.POSITIVE_INFINITY);
  return (event) => {
    const index = rules.findIndex((rule, at) => {
      if (rule.step !== event.step || left[at] <= 0) return false;
      if (rule.from !== undefined && event.sequence < rule.from) return false;
      const about = event.recipient === null ? event.recipients : [event.recipient];
      return rule.recipient === undefined || about.some((address) => address.includes(rule.recipient));
    });
    if (index < 0) return undefined;
    left[index]--;
    return rules[index].action;
  };
}

/** The most stamps (ms) in any half-open window of `ms`: what a cap is checked against. */
export function mostInWindow(stamps, ms) {
  const sorted = [...stamps].sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (let last = 0; last < sorted.length; last++) {
    while (sorted[last] - sorted[first] >= ms) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
