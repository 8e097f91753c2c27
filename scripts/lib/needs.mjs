// What the app and its tests need of the operating system, and who brings it. Data only; system.mjs reads it.

/** Linux packages are named as Debian names them; where Debian renamed one, the newer name comes first. */
const everywhere = ['linux', 'darwin', 'win32'];

/** Programs: found by any of `names` on the PATH or in the usual places. */
export const programs = {
  mariadbd: {
    names: ['mariadbd', 'mysqld'],
    on: everywhere,
    debian: 'mariadb-server',
    fedora: 'mariadb-server',
    brew: 'mariadb',
    winget: 'MariaDB.Server',
  },
  ssh: {
    names: ['ssh'],
    on: everywhere,
    debian: 'openssh-client',
    fedora: 'openssh-clients',
    winget: 'Microsoft.OpenSSH.Preview',
  },
  sshd: {
    names: ['sshd'],
    on: everywhere,
    debian: 'openssh-server',
    fedora: 'openssh-server',
    winget: 'Microsoft.OpenSSH.Preview',
  },
  'sftp-server': {
    names: ['sftp-server'],
    on: everywhere,
    debian: 'openssh-sftp-server',
    fedora: 'openssh-server',
    winget: 'Microsoft.OpenSSH.Preview',
  },
  openssl: {
    names: ['openssl'],
    on: ['linux', 'darwin'],
    debian: 'openssl',
    fedora: 'openssl',
    brew: 'openssl',
  },
  mariadb: {
    names: ['mariadb', 'mysql'],
    on: everywhere,
    debian: 'mariadb-client',
    fedora: 'mariadb',
    brew: 'mariadb',
    winget: 'MariaDB.Server',
  },
  php: {
    names: ['php'],
    on: everywhere,
    debian: 'php-cli',
    fedora: 'php-cli',
    brew: 'php',
    winget: 'PHP.PHP.8.4',
  },
  'php-mysql': {
    names: ['php'],
    phpModules: ['pdo_mysql', 'mysqli'],
    on: everywhere,
    debian: 'php-mysql',
    fedora: 'php-mysqlnd',
    brew: 'php',
    winget: 'PHP.PHP.8.4',
  },
  // looks at the style of the shop connector
  phpcs: { names: ['phpcs'], on: ['linux'], debian: 'php-codesniffer', fedora: 'php-pear-PHP-CodeSniffer' },
  // gives a database server a clock of its own: nights in which a zone's clock is changed
  faketime: { names: ['faketime'], on: ['linux'], debian: 'faketime', fedora: 'libfaketime' },
  // a second real mail server, with real logins; installed without a configuration: the tests bring theirs
  postfix: {
    names: ['postfix'],
    on: ['linux'],
    debian: 'postfix',
    debconf: 'postfix postfix/main_mailer_type select No configuration',
    fedora: 'postfix',
  },
  saslpasswd2: { names: ['saslpasswd2'], on: ['linux'], debian: 'sasl2-bin', fedora: 'cyrus-sasl' },
  'SASL PLAIN and LOGIN': {
    names: ['liblogin.so'],
    on: ['linux'],
    debian: 'libsasl2-modules',
    fedora: 'cyrus-sasl-plain',
  },
  ps: { names: ['ps'], on: ['linux'], debian: 'procps', fedora: 'procps-ng' },
  unshare: { names: ['unshare'], on: ['linux'], debian: 'util-linux', fedora: 'util-linux' },
  Xvfb: { names: ['Xvfb'], on: ['linux'], debian: 'xvfb', fedora: 'xorg-x11-server-Xvfb' },
  'dbus-daemon': { names: ['dbus-daemon'], on: ['linux'], debian: 'dbus', fedora: 'dbus-daemon' },
  'dbus-send': { names: ['dbus-send'], on: ['linux'], debian: 'dbus-bin|dbus', fedora: 'dbus-tools' },
  'gnome-keyring-daemon': {
    names: ['gnome-keyring-daemon'],
    on: ['linux'],
    debian: 'gnome-keyring',
    fedora: 'gnome-keyring',
  },
};

/**
 * Debian packages whose files alone are wanted: they are unpacked into out/debian, since installing WordPress would start a
 * web server on this machine. `file` is what must be there, below / or below out/debian; the variable `folder` names
 * a place of one's own.
 */
export const unpacked = {
  wordpress: {
    file: 'usr/share/wordpress/wp-settings.php',
    on: ['linux'],
    folder: 'WORDPRESS_DIR',
    unpack: 'wordpress',
    fedora: 'wordpress',
  },
};

/** Beside PATH: an ordinary user's PATH has no sbin, and sftp-server and the modules of SASL are on nobody's. */
export const programFolders = [
  ...[
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    '/usr/lib/openssh',
    '/usr/lib/ssh',
    '/usr/libexec/openssh',
    '/usr/libexec',
    ...['/usr/lib/x86_64-linux-gnu/sasl2', '/usr/lib/aarch64-linux-gnu/sasl2', '/usr/lib64/sasl2'],
  ],
  ...['/opt/homebrew/bin', '/opt/homebrew/opt/mariadb/bin', '/usr/local/opt/mariadb/bin'],
  ...['C:\\Windows\\System32\\OpenSSH', 'C:\\Program Files\\OpenSSH'],
];

/** Libraries that Electron opens only when it first needs them: ldd does not know them. */
export const openedLater = ['libnotify.so.4', 'libsecret-1.so.0'];

/** The Debian package of each library that Electron needs. */
export const debianLibraries = {
  'libasound.so.2': 'libasound2t64|libasound2',
  'libatk-1.0.so.0': 'libatk1.0-0t64|libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0t64|libatk-bridge2.0-0',
  'libatspi.so.0': 'libatspi2.0-0t64|libatspi2.0-0',
  'libcairo.so.2': 'libcairo2',
  'libcups.so.2': 'libcups2t64|libcups2',
  'libdbus-1.so.3': 'libdbus-1-3',
  'libdrm.so.2': 'libdrm2',
  'libexpat.so.1': 'libexpat1',
  'libgbm.so.1': 'libgbm1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libgdk-3.so.0': 'libgtk-3-0t64|libgtk-3-0',
  'libgio-2.0.so.0': 'libglib2.0-0t64|libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0t64|libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0t64|libglib2.0-0',
  'libgtk-3.so.0': 'libgtk-3-0t64|libgtk-3-0',
  'libnotify.so.4': 'libnotify4',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libsecret-1.so.0': 'libsecret-1-0',
  'libsmime3.so': 'libnss3',
  'libudev.so.1': 'libudev1',
  'libX11.so.6': 'libx11-6',
  'libxcb.so.1': 'libxcb1',
  'libXcomposite.so.1': 'libxcomposite1',
  'libXdamage.so.1': 'libxdamage1',
  'libXext.so.6': 'libxext6',
  'libXfixes.so.3': 'libxfixes3',
  'libxkbcommon.so.0': 'libxkbcommon0',
  'libXrandr.so.2': 'libxrandr2',
};

export const fonts = { debian: 'fonts-dejavu-core', fedora: 'dejavu-sans-fonts' };
