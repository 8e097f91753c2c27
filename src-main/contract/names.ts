import type { CallName, Signals } from './channels.ts';

/**
 * Names of all calls and signals, without their schemas: the preload is loaded before the first paint and
 * must not carry a parser. The `satisfies` below fails to compile when a name is missing or unknown.
 */
const callTable = {
  'app:info': true,
  'app:save-preferences': true,
  'app:open-link': true,
  'app:choose-file': true,
  'profiles:list': true,
  'profiles:get': true,
  'profiles:save': true,
  'profiles:give-secrets': true,
  'profiles:remove': true,
  'profiles:export': true,
  'profiles:import': true,
  'look:tables': true,
  'look:sites': true,
  'look:doctor': true,
  'look:stop': true,
  'connector:status': true,
  'connector:install': true,
  'connector:tables': true,
  'connector:remove': true,
  'connector:stop': true,
  'demo:open': true,
  'demo:inbox': true,
  'demo:order': true,
  'shop:connect': true,
  'shop:disconnect': true,
  'shop:status': true,
  'shop:overview': true,
  'shop:enable': true,
  'shop:disable': true,
  'shop:take-over': true,
  'shop:share-again': true,
  'shop:pause': true,
  'shop:resume': true,
  'shop:doctor': true,
  'shop:test-mail': true,
  'shop:stop-test-mail': true,
  'shop:mail-types': true,
  'shop:schema': true,
  'queue:list': true,
  'queue:rows': true,
  'queue:counts': true,
  'queue:kinds': true,
  'queue:show': true,
  'queue:files': true,
  'queue:images': true,
  'queue:prepare': true,
  'queue:act': true,
  'queue:waiting-deletes': true,
  'queue:undo': true,
  'queue:retry': true,
  'queue:delete': true,
  'queue:resolve': true,
  'log:list': true,
  'log:count': true,
  'log:clear': true,
  'log:export': true,
  'log:stop': true,
  'settings:save': true,
} as const satisfies Record<CallName, true>;

const signalTable = {
  'shop:changed': true,
  'shop:connection': true,
  'shop:ended': true,
  'shop:doctor-step': true,
  'shop:test-mail-waits': true,
  'log:export-progress': true,
  'look:progress': true,
  'window:show': true,
} as const satisfies Record<keyof Signals, true>;

/** Every call that the window may make. */
export const callNames = Object.keys(callTable) as CallName[];
/** Every signal that the window may listen to. */
export const signalNames = Object.keys(signalTable) as (keyof Signals)[];
