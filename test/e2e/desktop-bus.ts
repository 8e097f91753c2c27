/**
 * What a desktop is to an app, on the session bus: a host for tray icons (org.kde.StatusNotifierWatcher) and a server for
 * notifications (org.freedesktop.Notifications). To be opened before the app is started.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** As much of the library as is used here; its own types know the system bus alone. */
interface SessionBus {
  connection: { end(): void };
  invoke(
    message: object,
    answer: (error: { name?: string; message?: unknown } | null, ...values: unknown[]) => void,
  ): void;
  requestName(name: string, flags: number, answer: (error: unknown, code: number) => void): void;
  exportInterface(object: object, path: string, description: object): void;
}
const { sessionBus } = createRequire(import.meta.url)('@homebridge/dbus-native') as {
  sessionBus(): SessionBus;
};

const watcherName = 'org.kde.StatusNotifierWatcher';
const serverName = 'org.freedesktop.Notifications';

export interface ShownNotification {
  id: number;
  title: string;
  body: string;
  /** keys of what can be done with it; `default` is a click */
  actions: string[];
}

export interface MenuEntry {
  id: number;
  label: string;
  enabled: boolean;
  children: MenuEntry[];
}

export interface TrayIcon {
  tooltip: string;
  /** bytes of the picture, as base64: another state is another picture */
  picture: string;
  menu: MenuEntry[];
}

export interface DesktopBus {
  notifications: ShownNotification[];
  /** how many icons there have been so far: a program that is started anew brings another one */
  icons(): number;
  /** what is shown at this moment; throws while there is no icon */
  tray(): Promise<TrayIcon>;
  /** presses an entry of the icon's menu, by its words from the top: ['Last failures', 'a@b: …'] */
  press(...path: (string | RegExp)[]): Promise<void>;
  /** clicks the icon itself */
  clickIcon(): Promise<void>;
  /** clicks a notification */
  click(notification: ShownNotification): void;
  close(): void;
}

type Variant = [signature: unknown, value: [unknown]];
const plain = (variant: Variant): unknown => variant[1][0];
const dictionary = (entries: [string, Variant][]): Record<string, unknown> =>
  Object.fromEntries(entries.map(([key, value]) => [key, plain(value)]));
type Layout = [id: number, properties: [string, Variant][], children: Variant[]];

export async function openDesktopBus(): Promise<DesktopBus> {
  const bus = sessionBus();
  const ask = (message: object): Promise<unknown[]> =>
    new Promise((resolve, reject) =>
      bus.invoke(message, (error, ...values) =>
        error
          ? reject(
              new Error(
                `${error.name}: ${JSON.stringify(error.message ?? error)} (${JSON.stringify(message)})`,
              ),
            )
          : resolve(values),
      ),
    );
  const own = (name: string): Promise<void> =>
    new Promise((resolve, reject) =>
      bus.requestName(name, 4, (error, code) =>
        error || code !== 1
          ? reject(new Error(`${name} is somebody else's (${String(error ?? code)})`))
          : resolve(),
      ),
    );

  const icons: { destination: string; path: string }[] = [];
  const watcher = Object.assign(new EventEmitter(), {
    RegisteredStatusNotifierItems: [] as string[],
    IsStatusNotifierHostRegistered: true,
    ProtocolVersion: 0,
    RegisterStatusNotifierItem(service: string, message: { sender: string }) {
      // a name on the bus, or a path of the sender's
      icons.push(
        service.startsWith('/')
          ? { destination: message.sender, path: service }
          : { destination: service, path: '/StatusNotifierItem' },
      );
    },
    RegisterStatusNotifierHost() {},
  });
  bus.exportInterface(watcher, '/StatusNotifierWatcher', {
    name: watcherName,
    methods: { RegisterStatusNotifierItem: ['s', ''], RegisterStatusNotifierHost: ['s', ''] },
    properties: {
      RegisteredStatusNotifierItems: 'as',
      IsStatusNotifierHostRegistered: 'b',
      ProtocolVersion: 'i',
    },
    signals: { StatusNotifierItemRegistered: ['s'], StatusNotifierHostRegistered: [''] },
  });

  const notifications: ShownNotification[] = [];
  const server = Object.assign(new EventEmitter(), {
    GetServerInformation() {
      return ['test', 'test', '1', '1.2'];
    },
    GetCapabilities() {
      return ['actions', 'body', 'persistence'];
    },
    Notify(_app: string, replaces: number, _icon: string, title: string, body: string, actions: string[]) {
      const id = replaces || notifications.length + 1;
      notifications.push({ id, title, body, actions: actions.filter((_, i) => i % 2 === 0) });
      return id;
    },
    CloseNotification(id: number) {
      server.emit('NotificationClosed', id, 3);
    },
  });
  bus.exportInterface(server, '/org/freedesktop/Notifications', {
    name: serverName,
    methods: {
      GetServerInformation: ['', 'ssss'],
      GetCapabilities: ['', 'as'],
      Notify: ['susssasa{sv}i', 'u'],
      CloseNotification: ['u', ''],
    },
    signals: { ActionInvoked: ['us'], NotificationClosed: ['uu'] },
  });
  await own(watcherName);
  await own(serverName);

  const icon = () => {
    const last = icons.at(-1);
    if (!last) throw new Error('There is no icon yet');
    return last;
  };
  const property = async (name: string): Promise<unknown> => {
    const [value] = await ask({
      ...icon(),
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.kde.StatusNotifierItem', name],
    });
    return plain(value as Variant);
  };
  const entry = ([id, properties, children]: Layout): MenuEntry => {
    const { label, enabled } = dictionary(properties);
    return {
      id,
      label: typeof label === 'string' ? label.replaceAll('__', '_') : '',
      enabled: enabled !== false,
      children: children.map((child) => entry(plain(child) as Layout)),
    };
  };
  const picture = async (): Promise<string> => {
    const pixels = await property('IconPixmap').catch(() => null);
    if (pixels) return JSON.stringify(pixels);
    // as a desktop of KDE's is given it: a file, another one for each picture
    const folder = String(await property('IconThemePath').catch(() => ''));
    const name = String(await property('IconName'));
    return readFileSync(`${path.resolve(folder, name)}.png`).toString('base64');
  };
  const menuPath = async () => String(await property('Menu'));
  const menu = async (): Promise<MenuEntry[]> => {
    const [, layout] = await ask({
      destination: icon().destination,
      path: await menuPath(),
      interface: 'com.canonical.dbusmenu',
      member: 'GetLayout',
      signature: 'iias',
      body: [0, -1, []],
    });
    return entry(layout as Layout).children;
  };

  return {
    notifications,
    icons: () => icons.length,
    async tray() {
      const [, , title, body] = (await property('ToolTip')) as [string, unknown, string, string];
      return {
        tooltip: title || body,
        picture: await picture(),
        menu: await menu(),
      };
    },
    async press(...path) {
      let level = await menu();
      let found: MenuEntry | undefined;
      for (const word of path) {
        found = level.find(({ label }) => (typeof word === 'string' ? label === word : word.test(label)));
        if (!found) throw new Error(`no ${word} among ${level.map(({ label }) => label).join(', ')}`);
        level = found.children;
      }
      await ask({
        destination: icon().destination,
        path: await menuPath(),
        interface: 'com.canonical.dbusmenu',
        member: 'Event',
        signature: 'isvu',
        body: [found?.id ?? 0, 'clicked', ['i', 0], 0],
      });
    },
    async clickIcon() {
      await ask({
        ...icon(),
        interface: 'org.kde.StatusNotifierItem',
        member: 'Activate',
        signature: 'ii',
        body: [0, 0],
      });
    },
    click: ({ id }) => void server.emit('ActionInvoked', id, 'default'),
    close: () => bus.connection.end(),
  };
}
