/** The file by which a Linux desktop starts us at login. Quoting is that of the Desktop Entry Specification, "The Exec key". */
export function autostartEntry(words: readonly string[]): string {
  const quoted = words.map(
    (word) =>
      `"${word
        .replaceAll(/[\\"`$]/g, '\\$&')
        .replaceAll('\\', '\\\\')
        .replaceAll('%', '%%')}"`,
  );
  return `[Desktop Entry]
Type=Application
Name=Postroom
Exec=${quoted.join(' ')}
Icon=postroom
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}
