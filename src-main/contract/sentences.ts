/**
 * Sentences that the engine says (causes, reasons, what the doctor finds) are English wherever they are kept: in the shop's
 * tables, which other consoles and the command line read too. A surface in another language turns them over on screen, by the
 * sentence itself: `{{name}}` stands for what differs, and what stands there is turned over as well, since a reason often
 * holds another one.
 */
export type Sentences = Readonly<Record<string, string>>;

interface Pattern {
  begin: string;
  end: string;
  regex: RegExp;
  names: string[];
  to: string;
  /** characters that must match literally: of two patterns that fit, the one that says more of the sentence holds */
  literal: number;
}

/** Answers that are kept for the next look: a log of 1,000 lines is drawn anew each second. */
const kept = 2_000;
/** Characters beyond which a text is no sentence: several gaps in a pattern make a long one slow. */
const longest = 4_000;
/** A reason within a reason within a cause is the deepest that the engine builds. */
const deepest = 4;

/** A function that gives a sentence in another language, or as it is where nobody has translated it (a server's own words). */
export function makeTeller(sentences: Sentences): (sentence: string) => string {
  const exact = new Map<string, string>();
  const patterns: Pattern[] = [];
  for (const [from, to] of Object.entries(sentences))
    if (from.includes('{{')) patterns.push(asPattern(from, to));
    else exact.set(from, to);
  patterns.sort((a, b) => b.literal - a.literal);
  const known = new Map<string, string>();

  /** The sentence, or the same begun small: what stands at the beginning of a sentence is written large there. */
  function turned(sentence: string, depth: number): string | null {
    const found = matched(sentence, depth);
    if (found !== null) return found;
    const small = withFirst(sentence, (letter) => letter.toLowerCase());
    const begun = small === sentence ? null : matched(small, depth);
    return begun === null ? null : withFirst(begun, (letter) => letter.toUpperCase());
  }

  function matched(sentence: string, depth: number): string | null {
    const whole = exact.get(sentence);
    if (whole !== undefined) return whole;
    if (depth > deepest) return null;
    for (const { begin, end, regex, names, to } of patterns) {
      // most are ruled out by this: a log of 1,000 new lines took 200 ms by their expressions alone
      if (!sentence.startsWith(begin) || !sentence.endsWith(end)) continue;
      const found = regex.exec(sentence);
      if (!found) continue;
      return to.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
        whatever(found[names.indexOf(name) + 1] ?? '', depth + 1),
      );
    }
    return null;
  }

  /** Whole; or several in a row, each by itself. What nobody knows stays as it is. */
  function whatever(text: string, depth: number): string {
    const whole = turned(text, depth);
    if (whole !== null) return whole;
    if (depth > deepest) return text;
    const sentences = text.split(/(?<=[.!?]) (?=\p{Lu})/u);
    if (sentences.length > 1) return sentences.map((part) => turned(part, depth) ?? part).join(' ');
    const listed = text.split('; ');
    if (listed.length > 1) return listed.map((part) => whatever(part, depth + 1)).join('; ');
    return named(text, depth) ?? text;
  }

  /** A cause with its own cause, or a field with its fault: "the mail server cannot be reached: there is no network". */
  function named(text: string, depth: number): string | null {
    const at = text.indexOf(': ');
    if (at <= 0) return null;
    const [left, right] = [text.slice(0, at), text.slice(at + 2)];
    const [first, second] = [turned(left, depth + 1), turned(right, depth + 1) ?? named(right, depth + 1)];
    return first === null && second === null ? null : `${first ?? left}: ${second ?? right}`;
  }

  return (sentence) => {
    if (exact.size + patterns.length === 0 || sentence.length > longest) return sentence;
    const before = known.get(sentence);
    if (before !== undefined) return before;
    const told = whatever(sentence, 0);
    if (known.size >= kept) known.clear();
    known.set(sentence, told);
    return told;
  };
}

const withFirst = (text: string, change: (letter: string) => string): string =>
  change(text.charAt(0)) + text.slice(1);

function asPattern(from: string, to: string): Pattern {
  const names: string[] = [];
  const parts = from.split(/\{\{(\w+)\}\}/);
  let source = '';
  let literal = 0;
  for (const [i, part] of parts.entries())
    if (i % 2 === 1) {
      names.push(part);
      source += '([^]*?)';
    } else {
      literal += part.length;
      source += part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    }
  return {
    begin: parts[0] ?? '',
    end: parts.at(-1) ?? '',
    regex: new RegExp(`^${source}$`, 'u'),
    names,
    to,
    literal,
  };
}
