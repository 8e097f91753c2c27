// As much of gettext as the connector needs: its strings out of PHP, .pot and .po as text, .mo as WordPress reads it.

/** `{ id, plural, comment, files, text }`: plural null where there is none; text = translations, one for each form. */
const call =
  /(?:\/\* translators: ([^*]*?) \*\/\s*)?(?:\$\w+ \.?= |'[^']*' => )?(?:sprintf\(\s*)?(?:\/\* translators: ([^*]*?) \*\/\s*)?\b(__|_n|esc_html__|esc_attr__)\(\s*'((?:[^'\\]|\\.)*)'\s*,\s*(?:'((?:[^'\\]|\\.)*)'\s*,[^;]*?)?'postroom-connector'/gs;

const unquotePhp = (text) => text.replace(/\\(['\\])/g, '$1');

/** The strings of PHP sources: `sources` is `[[name, text], ...]`; each string once, in the order of the sources. */
export function stringsOfPhp(sources) {
  const found = new Map();
  for (const [file, text] of sources) {
    for (const [, before, inside, name, one, other] of text.matchAll(call)) {
      if ((name === '_n') !== (other !== undefined)) throw new Error(`${file}: cannot read ${name}('${one}'`);
      const id = unquotePhp(one);
      const plural = other === undefined ? null : unquotePhp(other);
      const known = found.get(id) ?? { id, plural, comment: before ?? inside ?? '', files: [], text: [] };
      if (!known.files.includes(file)) known.files.push(file);
      found.set(id, known);
    }
  }
  return [...found.values()];
}

/** How often PHP sources ask for a translation, by the plainest look: nothing of it may be missed above. */
export function countOfPhp(sources) {
  return sources.reduce(
    (sum, [, text]) => sum + (text.match(/(?<!=> )'postroom-connector'\s*\)/g) ?? []).length,
    0,
  );
}

const quote = (text) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/** The text of a .pot (entries without `text`) or .po. `header` = lines of the header entry. */
export function writePo(header, entries) {
  const lines = ['msgid ""', 'msgstr ""', ...header.map((line) => quote(`${line}\n`))];
  for (const { id, plural, comment, files, text } of entries) {
    lines.push('');
    if (comment) lines.push(`#. translators: ${comment}`);
    for (const file of files) lines.push(`#: ${file}`);
    if (/%(?:\d\$)?[sd]/.test(id)) lines.push('#, php-format');
    lines.push(`msgid ${quote(id)}`);
    if (plural === null) lines.push(`msgstr ${quote(text[0] ?? '')}`);
    else {
      lines.push(`msgid_plural ${quote(plural)}`);
      const forms = text.length > 0 ? text : ['', ''];
      for (const [form, words] of forms.entries()) lines.push(`msgstr[${form}] ${quote(words)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A .po's entries by id; the header entry has the id ''. */
export function readPo(source) {
  const entries = new Map();
  let entry = null;
  let add = () => {};
  for (const line of source.split('\n')) {
    const [, key, form, value] =
      /^(?:(msgid_plural|msgid|msgstr)(?:\[(\d)\])? )?"((?:[^"\\]|\\.)*)"$/.exec(line) ?? [];
    if (value === undefined) continue;
    const text = value.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));
    if (key === 'msgid') {
      entry = { id: text, plural: null, text: [] };
      add = (more) => (entry.id += more);
    } else if (key === 'msgid_plural') {
      entry.plural = text;
      add = (more) => (entry.plural += more);
    } else if (key === 'msgstr') {
      const at = Number(form ?? 0);
      entry.text[at] = text;
      const of = entry;
      add = (more) => (of.text[at] += more);
      entries.set(entry.id, entry);
    } else add(text);
    if (key === undefined && entry) entries.set(entry.id, entry);
  }
  return entries;
}

/** The bytes of a .mo: translated entries alone, sorted by id as its readers expect. */
export function writeMo(entries) {
  const pairs = [...entries]
    .filter(({ text }) => text.length > 0 && text.every((words) => words !== ''))
    .map(({ id, plural, text }) => [
      Buffer.from(plural === null ? id : `${id}\0${plural}`),
      Buffer.from(text.join('\0')),
    ])
    .sort(([one], [other]) => Buffer.compare(one, other));
  const head = Buffer.alloc(28 + pairs.length * 16);
  const count = pairs.length;
  for (const [at, value] of [0x950412de, 0, count, 28, 28 + count * 8, 0, head.length].entries())
    head.writeUInt32LE(value, at * 4);
  const strings = [];
  let offset = head.length;
  for (const side of [0, 1]) {
    for (const [at, pair] of pairs.entries()) {
      const text = pair[side];
      head.writeUInt32LE(text.length, 28 + side * count * 8 + at * 8);
      head.writeUInt32LE(offset, 28 + side * count * 8 + at * 8 + 4);
      strings.push(text, Buffer.from([0]));
      offset += text.length + 1;
    }
  }
  return Buffer.concat([head, ...strings]);
}
