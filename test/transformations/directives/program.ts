// A program of OpenACC for its transformations: directives, loops and regions by places, and directives written again.
import { extname } from 'node:path';
import type { Syntax } from '../../../server/src/syntax';
import { proceduresOf } from '../../../server/src/semantic/acc/fromC';
import { isFixedFormFile } from '../../../server/src/syntax/fortran';
import { bareText } from '../../../server/src/syntax/directives/lines';
import type {
  Clause,
  Directive,
  LoopStep,
  Place,
  Procedure,
  ProcedureFile,
  RegionStep,
  Step,
} from '../../../server/src/syntax/procedures';
import { changed, joined, slice, type Change, type Marked } from '../marked';
import { quietText, type Transformed } from '../program';

export interface Loop {
  readonly step: LoopStep;
  readonly procedure: Procedure;
}
export interface AccProgram {
  readonly path: string;
  readonly source: Marked;
  readonly text: string;
  readonly language: 'c' | 'free' | 'fixed';
  readonly file: ProcedureFile;
  /** Directives of the text itself, without mistakes. */
  readonly directives: readonly Directive[];
  readonly loops: readonly Loop[];
  readonly regions: readonly { readonly step: RegionStep; readonly procedure: Procedure }[];
  readonly random: () => number;
  readonly fresh: (wish: string) => string;
  /** Places of a word outside comments and strings; directives count. */
  readonly uses: (word: string, within: Place) => readonly Place[];
  readonly slice: (at: Place) => Marked;
  readonly changed: (changes: readonly Change[], path?: string) => Transformed | undefined;
}
export interface DirectiveTransformation {
  readonly name: string;
  readonly apply: (program: AccProgram) => Transformed | undefined;
}

export function readAccProgram(
  syntax: Syntax,
  path: string,
  source: Marked,
  random: () => number,
): AccProgram | undefined {
  const { text } = source;
  const uri = `file:///transformations/program${extname(path)}`;
  const isFortran = /\.f(?:90|or)?$/i.test(path);
  const fixedForm = isFortran && isFixedFormFile(path, text);
  const file = isFortran
    ? syntax.parseFortran(uri, text, 1, { defines: {}, fixedForm })
    : proceduresOf(
        syntax.parse(uri, text, 1, { defines: {}, computeCapability: 90 }, { resolve: () => undefined }),
        uri,
      );
  syntax.forget(uri);
  if (!file || file.errors.length || file.directives.some(({ macro }) => macro)) return undefined;
  const loops: Loop[] = [];
  const regions: { step: RegionStep; procedure: Procedure }[] = [];
  const walk = (steps: readonly Step[], procedure: Procedure): void => {
    for (const step of steps) {
      if (step.kind === 'loop') loops.push({ step, procedure });
      if (step.kind === 'region') regions.push({ step, procedure });
      if (step.kind === 'if') walk([...step.then, ...(step.else ?? [])], procedure);
      if (step.kind === 'loop' || step.kind === 'region' || step.kind === 'block') walk(step.body, procedure);
    }
  };
  for (const procedure of file.procedures) walk(procedure.body, procedure);
  const taken = new Set(text.match(/[A-Za-z_]\w*/g));
  const quiet = isFortran
    ? text.replace(/'[^'\n]*'|"[^"\n]*"|!(?!\$acc)[^\n]*/gi, (part) => ' '.repeat(part.length))
    : quietText(text.replace(/^[ \t]*#pragma acc/gm, (part) => ' '.repeat(part.length)));
  return {
    path,
    source,
    text,
    language: isFortran ? (fixedForm ? 'fixed' : 'free') : 'c',
    file,
    directives: file.directives.filter(({ problems, known }) => known && problems.length === 0),
    loops,
    regions,
    random,
    fresh: (wish) => {
      let name = wish;
      for (let count = 2; taken.has(name); count++) name = `${wish}${count}`;
      taken.add(name);
      return name;
    },
    uses: (word, within) =>
      [
        ...quiet
          .slice(within.start, within.end)
          .matchAll(new RegExp(`(?<![.>%\\w])${word}\\b`, isFortran ? 'gi' : 'g')),
      ].map(({ index }) => ({ start: within.start + index, end: within.start + index + word.length })),
    slice: ({ start, end }) => slice(source, start, end),
    changed: (changes, renamed) =>
      changes.length ? { main: changed(source, changes), ...(renamed ? { path: renamed } : {}) } : undefined,
  };
}

/** A part of a directive as one line: without line joins, repeated sentinels and comments. */
export function flat(program: AccProgram, directive: Directive, at: Place): Marked {
  const { start, end } = directive;
  const language = program.language === 'c' ? 'c' : 'fortran';
  const bare = bareText(program.text.slice(start, end), language, program.language === 'fixed').text;
  const whole: Marked = { text: bare, origins: program.source.origins.slice(start, end) };
  const part = slice(whole, at.start - start, at.end - start);
  const kept = [...part.text].flatMap((each, index) => (each === ' ' && part.text[index + 1] === ' ' ? [] : [index]));
  return { text: kept.map((index) => part.text[index]).join(''), origins: kept.map((index) => part.origins[index]!) };
}

/** The name with its own argument, and the clauses, each as one line. */
export function partsOf(program: AccProgram, directive: Directive): readonly [Marked, ...Marked[]] {
  const end = directive.argument?.end ?? directive.nameAt.end;
  return [
    flat(program, directive, { start: directive.nameAt.start, end }),
    ...directive.clauses.map((clause) => flat(program, directive, clause)),
  ];
}

export function indentOf({ text }: AccProgram, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))![0];
}

/** A directive of these parts, with line joins where a line would be too long, or before each part if `long`. */
export function written(
  program: AccProgram,
  at: number,
  parts: readonly (string | Marked)[],
  { long = false, sentinel = program.language === 'c' ? '#pragma acc' : '!$acc' } = {},
): Marked {
  const { language } = program;
  const indent = language === 'fixed' ? '' : indentOf(program, at);
  const join = { c: ` \\\n${indent}  `, free: ` &\n${indent}${sentinel}& `, fixed: `\n${sentinel}& ` }[language];
  const width = { c: Number.POSITIVE_INFINITY, free: 120, fixed: 72 }[language];
  const out: (string | Marked)[] = [sentinel];
  let column = indent.length + sentinel.length;
  parts.forEach((part, index) => {
    const length = (typeof part === 'string' ? part : part.text).length;
    const breaks = index > 0 && (long || column + length + 3 > width);
    out.push(breaks ? join : ' ', part);
    column = breaks ? indent.length + sentinel.length + 2 + length : column + 1 + length;
  });
  return joined(out, program.source.origins[at]!);
}

/** Each directive that `make` has other parts for, written with them. */
export function rewritten(
  program: AccProgram,
  make: (directive: Directive) => readonly (string | Marked)[] | undefined,
  how?: { readonly long?: boolean; readonly sentinel?: string },
  path?: string,
): Transformed | undefined {
  return program.changed(
    program.directives.flatMap((directive): Change[] => {
      const parts = make(directive);
      return parts ? [replaced(directive, written(program, directive.start, parts, how))] : [];
    }),
    path,
  );
}

export function replaced({ start, end }: Place, by: Marked): Change {
  return { start, end, by: [by] };
}

const ofLoops = new Set('collapse gang worker vector seq auto independent tile private reduction'.split(' '));

/** Of a combined directive: whether the clause is the loop's. */
export function isOfLoop({ name }: Clause): boolean {
  return ofLoops.has(name);
}

/** A line's end, from a place in it. */
export function lineEnd({ text }: AccProgram, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
