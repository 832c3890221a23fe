// A directive that runs into the next one, because a line before it goes on: where the next one begins.
import type { DirectiveProblem } from '../procedures';
import type { CheckContext, Fix, Read } from './fixes';
import { clauses as clauseTable, directives as directiveTable } from './table';

const firstWords: ReadonlySet<string> = new Set([...directiveTable.keys(), 'end'].map((name) => name.split(' ')[0]!));

/** The problems up to a second directive, which is the last: what follows is the other one's. */
export function untilSecond(
  found: readonly DirectiveProblem[],
  directive: Read,
  context: CheckContext,
): DirectiveProblem[] {
  const second = secondDirective(directive, context);
  return second ? [...found.filter(({ at }) => at.end <= second.at.start), second] : [...found];
}

function secondDirective(directive: Read, context: CheckContext): DirectiveProblem | undefined {
  const { parts, nameWords, placeOf, strays, textOf } = context;
  const entry = directiveTable.get(directive.name);
  if (!entry) return undefined;
  const word = (number: number): string => {
    const text = parts[number]?.word ?? '';
    return directive.language === 'c' ? text : text.toLowerCase();
  };
  for (let number = nameWords; number < parts.length; number++) {
    const part = parts[number]!;
    const hash = strays.find(({ start, end }) => end <= part.start && /^#\s*$/.test(textOf(start, part.start)));
    const isPragma = hash !== undefined && word(number) === 'pragma' && word(number + 1) === 'acc';
    const name = isPragma ? word(number + 2) : word(number);
    if (!isPragma && (!firstWords.has(name) || name === directive.name.split(' ')[0] || entry.clauses.has(name)))
      continue;
    if (!isPragma && name === 'end' && directive.language === 'c') continue;
    const next = word(number + 1);
    const opensLine = leadOf(textOf(0, part.start), directive.language) !== undefined;
    const isOthers = directiveTable.get(name)?.clauses.has(next) === true && !entry.clauses.has(next);
    if (!isPragma && clauseTable.has(name) && !opensLine && !isOthers) continue;
    const start = hash && isPragma ? hash.start : part.start;
    const fix = context.macro ? undefined : apart(directive, context, start, isPragma);
    return {
      code: 'clause-not-allowed',
      at: placeOf(start, part.wordEnd),
      // Both on one line: there is no continuation to take away.
      data: { clause: name, directive: directive.name, ...(fix || context.macro ? { begins: 1 } : {}) },
      ...(fix && { fix }),
    };
  }
  return undefined;
}

/** What is between the line's beginning and its first word, with the line join before it. */
function leadOf(before: string, language: 'c' | 'fortran'): RegExpExecArray | undefined {
  const pattern =
    language === 'c'
      ? /([ \t]*\\)[ \t]*\r?\n[ \t]*$/
      : /([ \t]*&)?[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*[!cC*]\$acc(?:([^ \t0\w])|[ \t]*(&))?[ \t]*$/i;
  return pattern.exec(before) ?? undefined;
}

/** Ends the line before; a pragma of C gets its beginning. */
function apart(
  { language }: Read,
  { placeOf, textOf }: CheckContext,
  start: number,
  isPragma: boolean,
): Fix | undefined {
  const lead = leadOf(textOf(0, start), language);
  if (!lead) return undefined;
  const join = lead[1] ?? '';
  const mark = lead[2] ?? lead[3];
  const markAt = mark === undefined ? -1 : lead.index + lead[0].lastIndexOf(mark);
  return {
    title: 'End the directive before it',
    safe: false,
    edits: [
      ...(join ? [{ at: placeOf(lead.index, lead.index + join.length), newText: '' }] : []),
      ...(markAt >= 0 ? [{ at: placeOf(markAt, markAt + 1), newText: ' ' }] : []),
      ...(language === 'c' && !isPragma ? [{ at: placeOf(start, start), newText: '#pragma acc ' }] : []),
    ],
  };
}
