import type { Duplex } from 'node:stream';
import type { Sftp } from './ssh-sftp.ts';

export interface SshOptions {
  /** ms for TCP, handshake and login together, default 15 s */
  connectMs?: number;
  /** ms for opening a channel and for each SFTP request, default 10 s */
  openMs?: number;
  /** ms between signs of life, default 3 s; a peer that missed three is dead: 12 s, below the 15 s that are promised */
  keepaliveMs?: number;
  /** environment with SSH_AUTH_SOCK, default the process's own */
  env?: NodeJS.ProcessEnv;
}

/** `up`: logged in; `down`: lost, with the cause in plain words. */
export interface SshEvents {
  up: [];
  down: [string];
}

/**
 * One login at the shop's server; carries database, files and mail. It connects when it is first used and, after a loss,
 * when it is next used: at once, then with growing pauses (to 2 s). During a pause calls fail at once with the last cause.
 * After a refused login it waits 5 min, as servers shut out who keeps trying; after a wrong host key until it is made anew.
 */
export interface SshSession {
  readonly isUp: boolean;
  /**
   * Rejects with PostroomError: `unreachable`, `login`, `host-key` (a HostKeyError), `config` (key file).
   * @param order `now`: a person asks, so try whatever failed before
   */
  connect(order?: { now: boolean }): Promise<void>;
  /** A TCP connection from the shop's server, as a socket that is there at once; errors are PostroomErrors. */
  forward(host: string, port: number): Duplex;
  /** The same to a unix socket on the shop's server. */
  forwardSocket(path: string): Duplex;
  /** Runs a command. @throws PostroomError `unreachable`, also after `deadlineMs` (default 20 s); `rights` where none may run */
  exec(command: string, deadlineMs?: number): Promise<{ code: number; stdout: string; stderr: string }>;
  /** A new SFTP channel. @throws PostroomError `rights` where the server has none */
  sftp(): Promise<Sftp>;
  /** Cuts it now (sleep, another network); the next use connects again, without a pause. */
  drop(cause?: string): void;
  /** Network or power came back: forget the pauses, and cut a session that is dead already (ask within 3 s). */
  nudge(): Promise<void>;
  close(): Promise<void>;
  on<E extends keyof SshEvents>(event: E, listener: (...data: SshEvents[E]) => void): unknown;
  off<E extends keyof SshEvents>(event: E, listener: (...data: SshEvents[E]) => void): unknown;
}
