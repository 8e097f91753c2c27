/** Names of profiles and of their secrets. */
import { z } from 'zod';

/** Names of a profile's secrets: the window learns only whether they are set (promise 12). */
export const secretNames = ['database.password', 'ssh.password', 'ssh.passphrase', 'smtp.password'] as const;
export type SecretName = (typeof secretNames)[number];

/** characters; a private key's passphrase or a token is far shorter, so more was pasted by mistake */
export const longestSecret = 100_000;

export const profileId = z.string().regex(/^[a-z0-9-]{1,64}$/);
