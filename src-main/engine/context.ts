/** What the rooms of the engine share: one shop's tables, who we are, the mail server, the files, and what is told. */
import type { EventEmitter } from 'node:events';
import type { DeskEvents } from '../contract/desk.ts';
import type { Profile } from '../contract/profile.ts';
import type { Mailbox } from '../mail/conversation.ts';
import type { MailServer } from '../mail/deliver.ts';
import type { ConsoleSelf } from '../queue/consoles.ts';
import type { Place } from '../queue/place.ts';
import type { ShopFiles } from '../shop/files.ts';
import type { Dots } from './dots.ts';
import type { Identity } from './identity.ts';
import type { Journal } from './journal.ts';

export interface EngineContext {
  place: Place;
  profile: Profile;
  sender: Mailbox;
  self: ConsoleSelf;
  identity: Identity;
  stateDir: string;
  journal: Journal;
  dots: Dots;
  mail: MailServer;
  files: ShopFiles | null;
  /** ms of patience with answers under way when the engine stops; without it a minute */
  stopPatienceMs?: number;
  events: EventEmitter<DeskEvents>;
}
