// C and C++ trees as procedures with their directives bound to what they govern.
import type { FunctionDecl, SourceFile, TranslationUnit } from '../../../syntax/ast';
import type { Directive, Place, Procedure, ProcedureFile, TripAnnotation, Variable } from '../../../syntax/procedures';
import { append, createProgram, createTypeTable, once, type Program, type TypeTable } from '../../language';
import { loopMissing } from '../../../syntax/directives/check';
import { createDeclarations } from './declarations';
import { createExpressions, integerConstant, syntheticNumber } from './expressions';
import { createStatements } from './statements';

interface Known {
  readonly files: readonly SourceFile[];
  readonly result: ProcedureFile;
}
// A file's procedures depend on its own tree and on what it can see; both are replaced whole when they change.
const known = new WeakMap<SourceFile, Known>();

/**
 * The procedures of one file of a unit; undefined where no file of the unit has a directive, which is what most files
 * are asked for. Never throws.
 */
export function proceduresOf(unit: TranslationUnit, uri: string): ProcedureFile | undefined {
  if (!unit.files.some(({ directives }) => directives.length > 0)) return undefined;
  const file = unit.files.find((each) => each.uri === uri);
  if (!file) return undefined;
  // What includes a header says nothing about the header.
  const surroundings = unit.files.filter((each) => each === file || each !== unit.main);
  const last = known.get(file);
  if (last && last.files.length === surroundings.length && last.files.every((each, at) => each === surroundings[at]))
    return last.result;
  const result = convert(file, unit);
  known.set(file, { files: surroundings, result });
  return result;
}

/** What all files of a unit share. */
const surroundingsOf = once((unit: TranslationUnit) => {
  const program = createProgram(unit);
  const headers = unit.files.filter((file) => file !== unit.main);
  const [routines, routinesOfHeaders] = [unit.files, headers].map(routinesOf) as [Routines, Routines];
  return { program, types: createTypeTable(program), routines, routinesOfHeaders };
});

function convert(file: SourceFile, unit: TranslationUnit): ProcedureFile {
  const { program, types, routines: all, routinesOfHeaders } = surroundingsOf(unit);
  const routines = file === unit.main ? all : routinesOfHeaders;
  const globals = createDeclarations(program, types, file.uri, 0, undefined);
  for (const global of file.globals) {
    try {
      globals.declare(global, 'global', undefined);
    } catch {
      /* one declaration less */
    }
  }
  const starts = new Map(file.directives.map((directive) => [directive.start, directive]));
  const procedures: Procedure[] = [];
  const loopless = new Set<Directive>();
  for (const fn of file.functions) {
    if (!fn.body) continue;
    try {
      procedures.push(procedureOf(fn, file, program, types, starts, routines.get(fn.name) ?? [], loopless));
    } catch {
      /* a function that cannot be followed is not there */
    }
  }
  const directives = file.directives.map((each) =>
    loopless.has(each) ? { ...each, problems: [...each.problems, loopMissing(each)] } : each,
  );
  return {
    uri: file.uri,
    version: file.version,
    text: file.text,
    language: 'c',
    procedures,
    prototypes: file.functions.flatMap((fn) =>
      fn.body || fn.className || fn.templateParams ? [] : [headOf(fn, routines.get(fn.name) ?? [])],
    ),
    globals: [...globals.variables(), ...macroNumbers(file)],
    directives: isWithoutHeaders(unit) ? directives.map(withoutStrangers) : directives,
    annotations: annotationsOf(file),
    errors: file.errors,
  };
}

/** A header of the program's own that nothing leads to may define any word as a macro. */
function isWithoutHeaders(unit: TranslationUnit): boolean {
  return unit.files.some(({ includes }) => includes.some(({ system, resolved }) => !system && resolved === undefined));
}

/** Words that are near to no name of OpenACC are no slips, and most likely macros. */
function withoutStrangers(directive: Directive): Directive {
  const { problems } = directive;
  const left = problems.filter(({ code, data }) => !/^unknown-/.test(code) || data['nearest'] !== undefined);
  return left.length === problems.length ? directive : { ...directive, problems: left };
}

/** Macros that stand for a number: the text of a directive keeps their names. */
function macroNumbers(file: SourceFile): Variable[] {
  return file.macros.flatMap((macro): Variable[] => {
    const number = macro.params
      ? undefined
      : /^\(?\s*(\d+|0[xX][\da-fA-F]+)[uUlL]*\s*\)?$/.exec(macro.body.trim())?.[1];
    if (number === undefined) return [];
    const at: Place = {
      start: Math.max(0, macro.start),
      end: Math.max(0, macro.start + macro.name.length),
      macro: true,
    };
    return [integerConstant(macro.name, at, macro.uri, { ...syntheticNumber(Number(number)), ...at })];
  });
}

/**
 * The `routine` directives of every function of some files by its name: named ones, and those that are before a
 * declaration or definition.
 */
type Routines = ReadonlyMap<string, readonly Directive[]>;
function routinesOf(files: readonly SourceFile[]): Routines {
  const byName = new Map<string, Directive[]>();
  const add = (name: string, directive: Directive): void => {
    append(byName, name, directive);
  };
  for (const file of files) {
    const routines = file.directives.filter((directive) => directive.name === 'routine');
    if (!routines.length) continue;
    const functions = [...file.functions].sort((a, b) => a.base + a.start - b.base - b.start);
    for (const directive of routines) {
      if (directive.argument)
        directive.argument.items.forEach((item) => add(item.variable ?? item.text.trim(), directive));
      else {
        // What a macro defines starts where its call does, as do the directives in it: they are for all of it.
        const at = (fn: FunctionDecl): number => fn.base + fn.start;
        const next = functions.find((fn) => at(fn) >= directive.start);
        const ofCall = functions.filter((fn) => at(fn) === directive.start);
        for (const fn of ofCall.length ? ofCall : next ? [next] : []) add(fn.name, directive);
      }
    }
  }
  return byName;
}

const headOf = (
  { name, base, start, end, nameStart, device, global }: FunctionDecl,
  routine: readonly Directive[],
) => ({
  ...{ name, routine, start: base + start, end: base + end },
  nameAt: { start: base + nameStart, end: base + nameStart + name.length },
  ...((device || global) && { device: true }),
});

function procedureOf(
  fn: FunctionDecl,
  file: SourceFile,
  program: Program,
  types: TypeTable,
  directives: ReadonlyMap<number, Directive>,
  routine: readonly Directive[],
  loopless: Set<Directive>,
): Procedure {
  const declarations = createDeclarations(program, types, fn.uri, fn.base, fn.className);
  for (const param of fn.params) declarations.declare(param, 'parameter', undefined);
  const expressions = createExpressions(declarations, types, program, fn.base);
  const { start: from, end: to } = headOf(fn, routine);
  const isBroken = file.errors.some(({ start, end }) => start < to && end > from);
  const statements = createStatements(fn, file, declarations, expressions, directives, (directive) => {
    if (!isBroken) loopless.add(directive);
  });
  const body = statements.list(fn.body!.body);
  return {
    ...headOf(fn, routine),
    parameters: fn.params.map((param) => param.name),
    variables: declarations.variables(),
    body,
    routineInsertAt: beforeTemplate(file.text, fn.base + fn.start),
  };
}

/** The start of a definition with its `template <…>`, which the tree does not count as the function's. */
export function beforeTemplate(text: string, start: number): number {
  const head = /(?:\btemplate\s*<[^;{}]*>\s*)+$/.exec(text.slice(Math.max(0, start - 600), start));
  return head ? start - head[0].length : start;
}

// ---- annotations -------------------------------------------------------------------------------------------------

/**
 * `// warplens: trip <= 27` comments; the line each speaks of is its own, or the next line of code where it stands
 * alone.
 */
function annotationsOf(file: SourceFile): TripAnnotation[] {
  const { text } = file;
  if (!/warplens:\s*trip/i.test(text)) return [];
  const comments = [
    ...file.comments,
    ...file.functions.flatMap((fn) =>
      fn.comments.map((comment) => ({ start: fn.base + comment.start, end: fn.base + comment.end })),
    ),
  ];
  const lines = text.split('\n');
  const seen = new Set<number>();
  return comments
    .sort((a, b) => a.start - b.start)
    .flatMap((comment) => {
      const match = /warplens:\s*trip\s*(<=|==?)?\s*(\d+)/i.exec(text.slice(comment.start, comment.end));
      if (!match || seen.has(comment.start)) return [];
      seen.add(comment.start);
      let line = text.slice(0, comment.start).split('\n').length - 1;
      const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
      if (/^\s*$/.test(text.slice(lineStart, comment.start))) {
        line += text.slice(comment.start, comment.end).split('\n').length;
        while (line < lines.length - 1 && /^\s*(\/\/.*|#\s*(?:if|else|elif|endif).*)?$/.test(lines[line]!)) line++;
      }
      return [{ start: comment.start, end: comment.end, atMost: Number(match[2]), exact: match[1] !== '<=', line }];
    });
}
