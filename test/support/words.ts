/** Every key of a language's file with its text, `queue.column.mail`. */
export function flat(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]): [string, string][] =>
    typeof inner === 'object'
      ? flat(inner as object, `${prefix}${key}.`)
      : [[`${prefix}${key}`, String(inner)]],
  );
}
