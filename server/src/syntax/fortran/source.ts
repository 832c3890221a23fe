// Prepares Fortran text for the grammar: branches of #if chosen, fixed form turned into free form, directives set
// aside, every offset kept.
import { evaluateWords } from '../conditions';
import { fortranDirectivePlaces } from '../directives/lines';
import type { Place } from '../procedures';
import { commentIn, withoutComment } from './comments';
import { macroStatements } from './macroStatements';

export interface FortranSettings {
  /** Macros of the build; `_OPENACC` is defined always. */
  readonly defines: Readonly<Record<string, string>>;
  readonly undefines?: readonly string[];
  /** Recognised by the file's name where absent. */
  readonly fixedForm?: boolean;
}

/** `#define NAME value` without parameters, in force at the end of the file. */
export interface ValueMacro {
  readonly name: string;
  readonly value: string;
  readonly start: number;
}
/** `! …` outside of directives. */
export interface CommentLine {
  readonly start: number;
  readonly end: number;
  /** It is the first on its line. */
  readonly alone: boolean;
}

export interface FortranSource {
  /** As long as the file's text, with every token at its place there. */
  readonly text: string;
  /** The file's text with preprocessor lines and the branches of #if that are not chosen as blanks. */
  readonly chosen: string;
  readonly fixedForm: boolean;
  /** Each with its continuation lines, those in branches of #if that are not chosen left out. */
  readonly directives: readonly Place[];
  readonly macros: readonly ValueMacro[];
  /** Files that preprocessor lines include. */
  readonly includes: readonly { readonly path: string; readonly start: number; readonly end: number }[];
  readonly comments: readonly CommentLine[];
}

const fixedNames = /\.(f|for|ftn|f77|fpp)$/i;

/** Fixed form by the extension of a path or URI, as the compilers have it. */
export function isFixedFormName(path: string): boolean {
  return fixedNames.test(path);
}

/**
 * Fixed form by the name, unless a line has words where fixed form has labels: projects that compile such files as free
 * form are common.
 */
export function isFixedFormFile(path: string, text: string): boolean {
  return isFixedFormName(path) && !/^(?:[abe-z]|d[a-z]{2}|[ \d][ \da-z]{0,3}[a-z])/im.test(text);
}

/** One physical line: `end` is before its line break. */
interface Line {
  readonly start: number;
  readonly end: number;
}

/** Never throws; what is not understood stays in the text as it is. */
export function prepareFortran(
  text: string,
  settings: FortranSettings & { readonly fixedForm: boolean },
): FortranSource {
  const lines = linesOf(text);
  const blanks: { start: number; end: number }[] = [];
  const replaced: { at: number; by: string }[] = [];
  const { active, macros, includes } = preprocess(text, lines, settings, blanks, replaced);
  const chosen = edited(text, blanks, []);
  readContains(chosen, lines, includes, replaced);
  const directives = fortranDirectivePlaces(chosen, settings.fixedForm);
  const comments: CommentLine[] = [];
  if (settings.fixedForm) readFixedForm(text, lines, active, blanks, replaced, comments);
  else readFreeForm(text, lines, active, comments);
  return {
    text: edited(text, blanks, replaced),
    chosen,
    fixedForm: settings.fixedForm,
    directives,
    macros,
    includes,
    comments: outside(comments, directives),
  };
}

/**
 * Procedures of a module whose `contains` is in an included file: where the last file is included before them, one
 * is written, without which the grammar gives up the first of them.
 */
function readContains(
  chosen: string,
  lines: readonly Line[],
  includes: FortranSource['includes'],
  replaced: { at: number; by: string }[],
): void {
  const roomy = new Set(
    includes.filter(({ start, end }) => end - start >= 'contains'.length).map(({ start }) => start),
  );
  if (roomy.size === 0) return;
  /** In the first part of a module, of which `include` is the last line that includes. */
  let isModule = false,
    isInner = false,
    include: Line | undefined;
  for (const line of lines) {
    if (isModule && roomy.has(line.start)) include = line;
    const own = chosen.slice(line.start, Math.min(line.end, line.start + 200));
    if (/^\s*module\s+(?!procedure\b)\w+\s*(?:!|$)/i.test(own)) [isModule, include] = [true, undefined];
    else if (/^\s*(?:abstract\s+)?(?:interface|type\b(?!\s*\())/i.test(own)) isInner = true;
    else if (/^\s*end\s*(?:interface|type)\b/i.test(own)) isInner = false;
    else if (isInner || !isModule) continue;
    else if (/^\s*(?:contains|end\s*module)\b/i.test(own)) isModule = false;
    else if (
      /^\s*(?:(?:pure|elemental|recursive|impure)\s+)*(?:subroutine|[^!'"=:]*\bfunction)\s+\w+\s*\(/i.test(own)
    ) {
      isModule = false;
      if (!include) continue;
      replaced.push({ at: include.start, by: 'contains' });
    }
  }
}

/** The comments that are no lines of a directive. */
function outside(comments: readonly CommentLine[], directives: readonly Place[]): CommentLine[] {
  let next = 0;
  return comments.filter(({ start }) => {
    while (next < directives.length && directives[next]!.end <= start) next++;
    return !(next < directives.length && directives[next]!.start <= start);
  });
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    let end = start;
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++;
    const next =
      end >= text.length ? end + 1 : text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? end + 2 : end + 1;
    lines.push({ start, end });
    if (end >= text.length) break;
    start = next;
  }
  return lines;
}

/**
 * The text with some stretches blank and some characters changed. Line breaks stay where they are unless a stretch says
 * otherwise.
 */
function edited(
  text: string,
  blanks: readonly { readonly start: number; readonly end: number }[],
  replaced: readonly { readonly at: number; readonly by: string }[],
): string {
  if (blanks.length === 0 && replaced.length === 0) return text;
  const edits = [
    ...blanks.map(({ start, end }) => ({ start, end, by: ' '.repeat(Math.max(0, end - start)) })),
    ...replaced.map(({ at, by }) => ({ start: at, end: at + by.length, by })),
  ].sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, by } of edits) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    parts.push(text.slice(done, from), by.slice(from - start));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/** The lines that the preprocessor took away, its own apart. */
export function linesApart(text: string, chosen: string): Place[] {
  const spans: Place[] = [];
  if (text === chosen) return spans;
  const left = chosen.split('\n');
  let start = 0;
  for (const [number, line] of text.split('\n').entries()) {
    const end = start + line.length;
    if (line !== left[number] && !line.startsWith('#')) {
      const before = spans.at(-1)?.end === start - 1 ? spans.pop() : undefined;
      spans.push({ start: before?.start ?? start, end });
    }
    start = end + 1;
  }
  return spans;
}

// ---- the preprocessor ----------------------------------------------------------------------------------------------

interface Branch {
  readonly outer: boolean;
  taken: boolean;
  active: boolean;
}

/**
 * Blanks preprocessor lines and the branches that are not chosen. Conditions that are unknown count as false, names
 * that are not defined as 0.
 */
function preprocess(
  text: string,
  lines: readonly Line[],
  settings: FortranSettings & { readonly fixedForm: boolean },
  blanks: { start: number; end: number }[],
  replaced: { at: number; by: string }[],
): {
  readonly active: readonly boolean[];
  readonly macros: readonly ValueMacro[];
  readonly includes: FortranSource['includes'];
} {
  const active: boolean[] = [];
  const defined = new Map<string, string>([['_OPENACC', '202211'], ...Object.entries(settings.defines)]);
  for (const name of settings.undefines ?? []) defined.delete(name);
  const macros = new Map<string, ValueMacro>();
  const includes: { path: string; start: number; end: number }[] = [];
  const branches: Branch[] = [];
  let continued = false;
  /** The line before goes on in this one. */
  let isOpen = false;
  const statements = macroStatements();
  for (const line of lines) {
    const here = branches.every((branch) => branch.active);
    const first = text.charCodeAt(line.start);
    if (continued || first === 35) {
      blanks.push({ start: line.start, end: line.end });
      active.push(false);
      const own = text.slice(line.start, line.end);
      if (!continued) directiveOf(own, line, here);
      continued = /\\[ \t]*$/.test(own);
      continue;
    }
    const own = text.slice(line.start, line.end);
    const isMarked = here && !settings.fixedForm && !isOpen && standsForComment(own, defined);
    active.push(here && !isMarked);
    if (!here || isMarked) blanks.push({ start: line.start, end: line.end });
    else {
      if (!isOpen && !settings.fixedForm) statements.add(own, line.start);
      const bare = withoutComment(own).trimEnd();
      if (bare !== '') isOpen = bare.endsWith('&');
    }
  }
  replaced.push(...statements.replaced());
  return { active, macros: [...macros.values()], includes };

  function directiveOf(own: string, line: Line, here: boolean): void {
    const match = /^#[ \t]*([a-z]+)[ \t]*(.*?)[ \t]*\\?[ \t]*$/.exec(own);
    if (!match) return;
    const rest = match[2]!
      .replace(/\/\*.*?\*\//g, ' ')
      .replace(/\/\/(?=[^'"]*$).*$/, '')
      .trim();
    const top = branches[branches.length - 1];
    switch (match[1]) {
      case 'ifdef':
      case 'ifndef': {
        const chosen = here && defined.has(/^\w+/.exec(rest)?.[0] ?? '') === (match[1] === 'ifdef');
        branches.push({ outer: here, taken: chosen, active: chosen });
        return;
      }
      case 'if': {
        const chosen = here && conditionOf(rest, defined);
        branches.push({ outer: here, taken: chosen, active: chosen });
        return;
      }
      case 'elif':
        if (top) {
          top.active = top.outer && !top.taken && conditionOf(rest, defined);
          top.taken ||= top.active;
        }
        return;
      case 'else':
        if (top) {
          top.active = top.outer && !top.taken;
          top.taken = true;
        }
        return;
      case 'endif':
        branches.pop();
        return;
      case 'undef':
        if (here) {
          defined.delete(rest);
          macros.delete(rest);
        }
        return;
      case 'define': {
        const name = here ? /^([A-Za-z_]\w*)(\(?)/.exec(rest) : null;
        if (!name) return;
        const value = rest.slice(name[1]!.length).trim();
        defined.set(name[1]!, value);
        if (name[2] === '' && value !== '')
          macros.set(name[1]!, {
            name: name[1]!,
            value,
            start: line.start + own.indexOf(name[1]!, own.indexOf('define') + 6),
          });
        return;
      }
      case 'include': {
        const path = /^["<]([^">]+)[">]/.exec(rest);
        if (here && path) includes.push({ path: path[1]!, start: line.start, end: line.end });
        return;
      }
    }
  }
}

/**
 * `OMP_ONLY parallel do &`: two words begin no statement of free form where the first has an underscore, so that it is
 * a macro, which stands for a sentinel or the mark of a comment.
 */
function standsForComment(line: string, defined: ReadonlyMap<string, string>): boolean {
  const name = /^[ \t]*([A-Za-z]\w*_\w*)[ \t]+[A-Za-z]\w*/.exec(line)?.[1];
  if (name === undefined || /^non_recursive$/i.test(name)) return false;
  const value = defined.get(name);
  return value === undefined || value.startsWith('!');
}

/** Whether an #if condition holds. Names stand for their values, those without a number for 0. */
function conditionOf(text: string, defined: ReadonlyMap<string, string>): boolean {
  const numberOf = (name: string, depth = 0): string => {
    const value = defined.get(name)?.trim() ?? '';
    return /^\d+[uUlL]*$/.test(value) ? value : defined.has(value) && depth < 50 ? numberOf(value, depth + 1) : '0';
  };
  const words =
    text
      .replace(/\bdefined\b\s*(?:\(\s*(\w+)\s*\)|(\w+))/g, (_, one, other) =>
        defined.has(one ?? other) ? ' 1 ' : ' 0 ',
      )
      .match(/[A-Za-z_]\w*|\d+|&&|\|\||[=!<>]=|<<|>>|[-+*/%!<>()]/g) ?? [];
  const isName = (word: string, at: number): boolean => /^[A-Za-z_]/.test(word) && words[at + 1] !== '(';
  return evaluateWords(words.map((word, at) => (isName(word, at) ? numberOf(word) : word))) !== 0n;
}

// ---- the two forms -------------------------------------------------------------------------------------------------

/** Free form needs no conversion: only comments are collected. Strings may run on over a line that ends in `&`. */
function readFreeForm(text: string, lines: readonly Line[], active: readonly boolean[], comments: CommentLine[]): void {
  let quote = '';
  lines.forEach((line, number) => {
    if (!active[number]) return;
    const own = text.slice(line.start, line.end);
    const { comment, quote: after } = commentIn(own, quote);
    quote = after;
    if (comment >= 0)
      comments.push({
        start: line.start + comment,
        end: line.start + own.trimEnd().length,
        alone: own.slice(0, comment).trim() === '',
      });
  });
}

const statementColumns = 72;

/**
 * Fixed form as free form of the same length: comment lines get a `!`, continued lines are joined with blanks in place
 * of the line break and the mark in column 6, and what stands beyond the last column is blank. Files whose statements
 * run past column 80 are compiled with long lines.
 */
function readFixedForm(
  text: string,
  lines: readonly Line[],
  active: readonly boolean[],
  blanks: { start: number; end: number }[],
  replaced: { at: number; by: string }[],
  comments: CommentLine[],
): void {
  const longLines = lines.some(
    (line, number) =>
      active[number] &&
      line.end - line.start > 80 &&
      !/^[cC*dD!#]/.test(text[line.start] ?? '') &&
      withoutComment(text.slice(line.start, line.end)).trimEnd().length > 80,
  );
  /** Where the last line of the statement so far ends, before its comment. */
  let statement: number | undefined;
  lines.forEach((line, number) => {
    if (!active[number]) return;
    const own = text.slice(line.start, line.end);
    const trimmed = own.trimEnd().length;
    if (trimmed === 0) return;
    const head = own[0]!;
    if (/[cC*dD!]/.test(head)) {
      if (head !== '!') replaced.push({ at: line.start, by: '!' });
      comments.push({ start: line.start, end: line.start + trimmed, alone: true });
      return;
    }
    const tab = /^[ \d]{0,5}\t/.exec(own);
    const mark = tab ? tab[0].length : 5;
    const marked = tab ? /[1-9]/.test(own[mark] ?? '') : own.startsWith('     ') && /[^ 0\t!]/.test(own[5] ?? ' ');
    const { comment } = commentIn(own, '');
    const width = tab || longLines ? own.length : Math.min(own.length, statementColumns);
    const end = comment >= 0 && comment < width ? comment : width;
    if (comment >= 0)
      comments.push({
        start: line.start + comment,
        end: line.start + trimmed,
        alone: own.slice(0, comment).trim() === '',
      });
    if (width < own.length && !(comment >= 0 && comment < width))
      blanks.push({ start: line.start + width, end: line.end });
    if (own.slice(0, end).trim() === '') return;
    // Between the pieces of a continued statement all goes: the comment behind the line before, comment lines, line
    // breaks, the mark.
    if (marked && statement !== undefined) blanks.push({ start: statement, end: line.start + mark + 1 });
    else if (!tab && own[5] === '0') blanks.push({ start: line.start + 5, end: line.start + 6 });
    statement = line.start + end;
  });
}
