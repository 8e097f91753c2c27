/**
 * Sentences that the engine says (causes, reasons, what the doctor finds) are English wherever they are kept: in the shop's
 * tables, which other consoles and the command line read too. A surface in another language turns them over on screen, by the
 * sentence itself: `{{name}}` stands for what differs, and what stands there is turned over as well, since a reason often
 * holds another one.
 */
export type Sentences = Readonly<Record<string, string>>;

interface Pattern {
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

  function turned(sentence: string, depth: number): string | null {
    const whole = exact.get(sentence);
    if (whole !== undefined) return whole;
    if (depth > deepest) return null;
    for (const { regex, names, to } of patterns) {
      const found = regex.exec(sentence);
      if (!found) continue;
      return to.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const part = found[names.indexOf(name) + 1] ?? '';
        return turned(part, depth + 1) ?? part;
      });
    }
    return null;
  }

  return (sentence) => {
    if (exact.size + patterns.length === 0 || sentence.length > longest) return sentence;
    const before = known.get(sentence);
    if (before !== undefined) return before;
    const told = turned(sentence, 0) ?? bySentence(sentence, (part) => turned(part, 0));
    if (known.size >= kept) known.clear();
    known.set(sentence, told);
    return told;
  };
}

/** Several sentences in a row, each by itself. What nobody knows stays as it is. */
function bySentence(text: string, turn: (part: string) => string | null): string {
  const parts = text.split(/(?<=[.!?]) (?=\p{Lu})/u);
  return parts.length === 1 ? text : parts.map((part) => turn(part) ?? part).join(' ');
}

function asPattern(from: string, to: string): Pattern {
  const names: string[] = [];
  const parts = from.split(/\{\{(\w+)\}\}/);
  let source = '';
  let literal = 0;
  for (const [i, part] of parts.entries())
    if (i % 2 === 1) {
      names.push(part);
      source += '([^]+?)';
    } else {
      literal += part.length;
      source += part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    }
  return { regex: new RegExp(`^${source}$`, 'u'), names, to, literal };
}
