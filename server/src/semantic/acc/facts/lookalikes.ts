// Lines of Fortran that would be directives if their sentinel were whole: `!acc loop`, `!$ acc loop`, `cacc loop`.
import { clauses, directives, endDirectives } from '../../../syntax/directives/table';
import type { DirectiveProblem, ProcedureFile } from '../../../syntax/procedures';

const free = /^([ \t]*)(!acc|!\$[ \t]+acc)[ \t]+([^\r\n]*)/i;
const fixed = /^()([!c*]acc|[!c*]\$[ \t]+acc)[ \t]+([^\r\n]*)/i;

/** The place of a broken sentinel and what it should be; undefined for prose and for whole ones. */
function brokenSentinel(
  line: string,
  fixedForm: boolean,
): { readonly start: number; readonly end: number; readonly name: string } | undefined {
  const match = free.exec(line) ?? (fixedForm ? fixed.exec(line) : null);
  if (!match) return undefined;
  const words = match[3]!.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)|&|!.*/g, ' ').match(/[^\s,]+/g) ?? [];
  for (let count = Math.min(3, words.length); count > 0; count--) {
    const name = words.slice(0, count).join(' ').toLowerCase();
    if (!directives.has(name) && !endDirectives.has(name)) continue;
    if (!words.slice(count).every((word) => clauses.has(word.toLowerCase()))) return undefined;
    return { start: match[1]!.length, end: match[1]!.length + match[2]!.length, name };
  }
  return undefined;
}

/**
 * One problem for each such line of a file. Where others are whole, a construct that lacks the sign at its begin and
 * at its end was switched off.
 */
export function lookalikesOf({ language, fixedForm, text, directives: whole }: ProcedureFile): DirectiveProblem[] {
  if (language !== 'fortran' || !/acc/i.test(text)) return [];
  const found: DirectiveProblem[] = [];
  const open: { readonly name: string; readonly problem: DirectiveProblem }[] = [];
  const off = new Set<DirectiveProblem>();
  let start = 0;
  for (const line of text.split('\n')) {
    const broken = brokenSentinel(line, fixedForm === true);
    if (broken) {
      const at = { start: start + broken.start, end: start + broken.end };
      const newText = `${text[at.start]!}$${/ACC/.test(line) ? 'ACC' : 'acc'}`;
      const problem: DirectiveProblem = {
        code: 'malformed',
        at,
        data: { kind: 'sentinel', text: text.slice(at.start, at.end), whole: newText },
        fix: { title: `Write \`${newText}\``, safe: false, edits: [{ at, newText }] },
      };
      found.push(problem);
      const ended = /^end\s+(.*)/.exec(broken.name)?.[1];
      const begun = ended === undefined ? -1 : open.findLastIndex(({ name }) => name.startsWith(ended));
      if (ended === undefined) open.push({ name: broken.name, problem });
      else if (begun >= 0 && whole.length)
        for (const each of [...open.splice(begun), { problem }]) off.add(each.problem);
    }
    start += line.length + 1;
  }
  return found.filter((problem) => !off.has(problem));
}

/** Is the line above a place such a one? */
export function isBelowLookalike({ language, fixedForm, text }: ProcedureFile, start: number): boolean {
  const above = text.slice(0, text.lastIndexOf('\n', start - 1) + 1).trimEnd();
  return (
    language === 'fortran' && brokenSentinel(above.slice(above.lastIndexOf('\n') + 1), fixedForm === true) !== undefined
  );
}
