// Statements that a macro with parameters stands for, as the grammar can read them.
import { withoutComment } from './comments';

interface Replacement {
  readonly at: number;
  readonly by: string;
}

/**
 * `LOG_INFO("setup",*) steps` and `LOG_NEWLINE`: no statement of Fortran begins with a name and such a list, or is a
 * name alone, so that it is a macro, most often of a `write` with a condition before it; `CHECK_ALL(a)` may do
 * anything. What is written in its place is as long as the name.
 */
export function macroStatements(): {
  /** A line that begins a statement, or has none. */
  readonly add: (line: string, start: number) => void;
  readonly replaced: () => readonly Replacement[];
} {
  const listed: Replacement[] = [],
    alone: Replacement[] = [];
  /** A directive is waiting for its loop: a name alone that comes instead stands for heads of loops. */
  let isGoverned = false,
    goesOn = false,
    standsForLoops = false;
  return {
    add(line, start) {
      const bare = withoutComment(line).trim();
      if (bare === '') {
        if (!/^[ \t]*!\$(?:acc|omp)\b/i.test(line)) return;
        if (!goesOn)
          isGoverned = !/^[ \t]*!\$(?:acc|omp)[ \t]+(?:end|enter|exit|data|update|wait|routine)\b/i.test(line);
        goesOn = /&[ \t]*$/.test(line);
        return;
      }
      const [, blank, name] = /^([ \t]*)([A-Za-z]\w*_\w*)/.exec(line) ?? [];
      if (blank !== undefined && name !== undefined && name.length > 'call '.length) {
        const at = start + blank.length;
        if (bare === name) {
          standsForLoops ||= isGoverned;
          alone.push({ at, by: ' '.repeat(name.length) });
        } else {
          const by = inPlaceOf(name, bare.slice(name.length));
          if (by !== undefined) listed.push({ at, by });
        }
      }
      isGoverned = goesOn = false;
    },
    replaced: () => (standsForLoops ? listed : [...listed, ...alone]),
  };
}

function inPlaceOf(name: string, rest: string): string | undefined {
  const close = /^[ \t]*\(/.test(rest) ? closing(rest, rest.indexOf('(')) : undefined;
  if (close === undefined || /^[ \t]*[=%([:&]/.test(rest.slice(close + 1))) return undefined;
  return rest.slice(close + 1).trim() !== '' || /[(,][ \t]*\*[ \t]*[,)]/.test(rest.slice(0, close + 1))
    ? 'write'.padEnd(name.length)
    : // Nothing is said of what it does: an unknown call.
      `call ${name.slice(5)}`;
}

function closing(text: string, open: number): number | undefined {
  let quote = '',
    depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at]!;
    if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at;
  }
  return undefined;
}
