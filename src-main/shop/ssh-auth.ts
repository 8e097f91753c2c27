import { existsSync } from 'node:fs';
import { PostroomError } from '../contract/errors.ts';
import type { SshLogin } from '../contract/profile.ts';
import { capital } from './faults.ts';

/** A way to log in, as the SSH library takes it. */
export type AuthStep<K> =
  | { type: 'none'; username: string }
  | { type: 'agent'; username: string; agent: string }
  | { type: 'publickey'; username: string; key: K }
  | { type: 'password'; username: string; password: string }
  | {
      type: 'keyboard-interactive';
      username: string;
      prompt: (
        name: string,
        text: string,
        lang: string,
        prompts: { prompt: string; echo?: boolean }[],
        finish: (answers: string[]) => void,
      ) => void;
    };

/** One login's attempts in order, and afterwards the words why none of them did. */
export class Login<K> {
  readonly #steps: AuthStep<K>[];
  readonly #user: string;
  readonly #has: string[];
  #offered: string[] | null = null;
  #partial = false;
  #question: string | null = null;

  /** @param agent socket or pipe of the agent, null without one */
  constructor(login: SshLogin, key: K | null, agent: string | null) {
    const username = login.user;
    this.#user = username;
    const { password } = login;
    // `none` first: it costs one round trip and brings the list of what the server takes (RFC 4252 section 5.2)
    this.#steps = [
      { type: 'none', username },
      ...(agent === null ? [] : [{ type: 'agent', username, agent } as const]),
      ...(key === null ? [] : [{ type: 'publickey', username, key } as const]),
      ...(password === null
        ? []
        : [
            { type: 'password', username, password } as const,
            { type: 'keyboard-interactive', username, prompt: this.#answer(password) } as const,
          ]),
    ];
    this.#has = [
      ...(agent === null ? [] : ['the SSH agent']),
      ...(key === null ? [] : ['a private key']),
      ...(password === null ? [] : ['a password']),
    ];
  }

  /** The next attempt; false when there is none. `offered` is what the server takes by now. */
  next(offered: string[] | null, partial: boolean | null): AuthStep<K> | false {
    if (offered) this.#offered = offered;
    if (partial) this.#partial = true;
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      const method = step.type === 'agent' ? 'publickey' : step.type;
      if (method === 'none' || this.#offered === null || this.#offered.includes(method)) return step;
    }
    return false;
  }

  /**
   * Why the server let nobody in. It answers a wrong key, a wrong password and an unknown user alike (FINDINGS 19a), so the
   * words name what was tried and what it takes.
   * @param agentKeys how many keys the agent holds, null without an agent
   */
  refused(place: string, agentKeys: number | null): PostroomError {
    const offered = this.#offered ?? [];
    const options = { detail: `the server takes: ${offered.join(', ') || 'nothing'}` };
    const make = (words: string) => new PostroomError('login', words, options);
    if (this.#has.length === 0)
      return make(
        `The profile holds no way to log in at ${place}: give a private key, a password, or the agent.`,
      );
    if (this.#question !== null)
      return make(
        `${capital(place)} asks for more than a password ("${this.#question}"), which nobody is there to answer. Use a key.`,
      );
    if (this.#partial)
      return make(`${capital(place)} took the first proof and wants another one (${offered.join(', ')}).`);
    const password = offered.includes('password') || offered.includes('keyboard-interactive');
    if (!password && !this.#has.some((has) => has !== 'a password'))
      return make(
        `${capital(place)} takes no passwords, only ${offered.join(', ') || 'nothing'}. Use a key.`,
      );
    if (agentKeys === 0 && this.#has.length === 1)
      return make(`The SSH agent holds no key. Add one (ssh-add), or name a private key file.`);
    return make(
      `${capital(place)} refused the login of ${this.#user} with ${this.#has.join(' and ')}. Check the user, and ${this.#has.map(remedy).join(', ')}.`,
    );
  }

  /** Answers what a password answers: hidden questions, once. */
  #answer(password: string): Extract<AuthStep<K>, { type: 'keyboard-interactive' }>['prompt'] {
    let given = false;
    return (_name, _text, _lang, prompts, finish) => {
      if (prompts.length === 0) return finish([]);
      const [first] = prompts;
      if (prompts.length === 1 && first && !first.echo && !given) {
        given = true;
        return finish([password]);
      }
      this.#question = (first?.prompt ?? '').trim();
      finish(prompts.map(() => ''));
    };
  }
}

function remedy(has: string): string {
  if (has === 'a private key') return "that its public half is in the server's authorized_keys";
  if (has === 'a password') return 'the password';
  return 'that the agent holds the right key (ssh-add -l)';
}

/**
 * Where this machine's SSH agent listens.
 * @throws PostroomError `login` when none runs
 */
export function findAgent(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const socket = env.SSH_AUTH_SOCK;
  if (socket) return socket;
  if (platform === 'win32') {
    const pipe = '\\\\.\\pipe\\openssh-ssh-agent';
    return existsSync(pipe) ? pipe : 'pageant';
  }
  throw new PostroomError(
    'login',
    'No SSH agent runs here (SSH_AUTH_SOCK is not set). Start one and add the key, or name a private key file.',
  );
}
