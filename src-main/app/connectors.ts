import type {
  ConnectorLook,
  ConnectorOrder,
  ConnectorRemoval,
  ConnectorRemoved,
  ConnectorReport,
  ConnectorTables,
} from '../contract/connector.ts';
import { PostroomError } from '../contract/errors.ts';
import type { LookProgress } from '../contract/look.ts';
import type { Profile } from '../contract/profile.ts';
import type { Boot } from './boot-door.ts';

interface Tools {
  /** of a saved profile, with its secrets. @throws PostroomError where it has none, as the demo shop */
  profileOf: (id: string) => Promise<Profile>;
  loadBoot: () => Promise<Boot>;
  /** closes the console's own shop before its tables go, and opens it again when they stayed */
  shops: { disconnect: (id: string) => Promise<unknown>; connect: (id: string) => Promise<unknown> };
  tell: (told: { look: string; progress: LookProgress }) => void;
}

/** The connector of a saved shop, for the window. One thing at a time: two that write into one folder would meet. */
export class Connectors {
  private running: { id: string; stop: AbortController } | null = null;

  private readonly tools: Tools;

  constructor(tools: Tools) {
    this.tools = tools;
  }

  status(id: string, profile: string, folder: string | null): Promise<ConnectorLook> {
    return this.run(id, profile, (boot, parts, options) => boot.connectorStatus(parts, folder, options));
  }

  install(id: string, profile: string, order: ConnectorOrder): Promise<ConnectorReport> {
    return this.run(
      id,
      profile,
      async (boot, parts, options) => (await boot.installConnector(parts, order, options)).report,
    );
  }

  tables(id: string, profile: string): Promise<ConnectorTables> {
    return this.run(id, profile, (boot, parts, options) => boot.connectorTables(parts, options));
  }

  remove(id: string, profile: string, order: ConnectorRemoval): Promise<ConnectorRemoved> {
    return this.run(id, profile, async (boot, parts, options) => {
      if (!order.tables) return boot.removeConnector(parts, order, options);
      // a console that drains would find its tables gone in the middle of a mail
      await this.tools.shops.disconnect(profile);
      try {
        return await boot.removeConnector(parts, order, options);
      } catch (error) {
        void this.tools.shops.connect(profile);
        throw error;
      }
    });
  }

  /** Asks what runs under that name to end; fine when it has ended already. */
  stop(id: string): undefined {
    if (this.running?.id === id) this.running.stop.abort();
    return undefined;
  }

  /** The program ends: what has not touched anything yet ends, the rest is finished or taken back by the next run. */
  stopAll(): void {
    this.running?.stop.abort();
  }

  private async run<T>(
    id: string,
    profile: string,
    work: (
      boot: Boot,
      parts: Profile,
      options: { signal: AbortSignal; onProgress: (words: string) => void },
    ) => Promise<T>,
  ): Promise<T> {
    if (this.running)
      throw new PostroomError(
        'busy',
        'The connector of a shop is being worked on already. Wait until that has ended.',
      );
    const stop = new AbortController();
    const mine = { id, stop };
    this.running = mine;
    try {
      const parts = await this.tools.profileOf(profile);
      const boot = await this.tools.loadBoot();
      return await work(boot, parts, {
        signal: stop.signal,
        onProgress: (words) => this.tools.tell({ look: id, progress: { words } }),
      });
    } finally {
      this.running = null;
    }
  }
}
