// C and C++ trees as procedures with their directives bound to what they govern.
import type { Expr, FunctionDecl, SourceFile, Stmt, TranslationUnit } from '../../../syntax/ast';
import type {
  AssignStep,
  Directive,
  LoopStep,
  Place,
  Procedure,
  ProcedureFile,
  Step,
  TripAnnotation,
  Value,
  Variable,
} from '../../../syntax/procedures';
import { createProgram, type Program } from '../../language/program';
import { createTypeTable, type TypeTable } from '../../language/types';
import { countedHeader } from './countedLoops';
import { createDeclarations, type Declarations } from './declarations';
import { createExpressions, type Expressions } from './expressions';

interface Known {
  readonly files: readonly SourceFile[];
  readonly result: ProcedureFile;
}
// A file's procedures hang on its own tree and on what it can see; both are replaced whole when they change.
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

interface Surroundings {
  readonly program: Program;
  readonly types: TypeTable;
  readonly routines: ReadonlyMap<string, readonly Directive[]>;
}
const surroundingsOfUnit = new WeakMap<TranslationUnit, Surroundings>();

/** What all files of a unit share. */
function surroundingsOf(unit: TranslationUnit): Surroundings {
  let made = surroundingsOfUnit.get(unit);
  if (!made) {
    const program = createProgram(unit);
    surroundingsOfUnit.set(unit, (made = { program, types: createTypeTable(program), routines: routinesOf(unit) }));
  }
  return made;
}

function convert(file: SourceFile, unit: TranslationUnit): ProcedureFile {
  const { program, types, routines } = surroundingsOf(unit);
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
  for (const fn of file.functions) {
    if (!fn.body) continue;
    try {
      procedures.push(procedureOf(fn, file, program, types, starts, routines.get(fn.name) ?? []));
    } catch {
      /* a function that cannot be followed is not there */
    }
  }
  return {
    uri: file.uri,
    version: file.version,
    text: file.text,
    language: 'c',
    procedures,
    globals: [...globals.variables(), ...macroNumbers(file)],
    directives: file.directives,
    annotations: annotationsOf(file),
    errors: file.errors,
  };
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
    return [
      {
        name: macro.name,
        at,
        uri: macro.uri,
        role: 'global',
        type: 'int',
        elementBytes: 4,
        floating: false,
        constant: true,
        value: { kind: 'number', value: Number(number), integer: true, ...at },
      },
    ];
  });
}

/**
 * The `routine` directives of every function of a unit by its name: named ones, and those that stand before a
 * declaration or definition.
 */
function routinesOf(unit: TranslationUnit): ReadonlyMap<string, readonly Directive[]> {
  const byName = new Map<string, Directive[]>();
  const add = (name: string, directive: Directive): void => {
    const list = byName.get(name);
    if (list) list.push(directive);
    else byName.set(name, [directive]);
  };
  for (const file of unit.files) {
    const routines = file.directives.filter((directive) => directive.name === 'routine');
    if (!routines.length) continue;
    const functions = [...file.functions].sort((a, b) => a.base + a.start - b.base - b.start);
    for (const directive of routines) {
      if (directive.argument)
        directive.argument.items.forEach((item) => add(item.variable ?? item.text.trim(), directive));
      else {
        const next = functions.find((fn) => fn.base + fn.start >= directive.end);
        if (next) add(next.name, directive);
      }
    }
  }
  return byName;
}

function procedureOf(
  fn: FunctionDecl,
  file: SourceFile,
  program: Program,
  types: TypeTable,
  directives: ReadonlyMap<number, Directive>,
  routine: readonly Directive[],
): Procedure {
  const declarations = createDeclarations(program, types, fn.uri, fn.base, fn.className);
  for (const param of fn.params) declarations.declare(param, 'parameter', undefined);
  const expressions = createExpressions(declarations, types, program, fn.base);
  const body = createStatements(fn, file, declarations, expressions, directives).list(fn.body!.body);
  const place = (start: number, end: number): Place => ({ start: fn.base + start, end: fn.base + end });
  return {
    name: fn.name,
    ...place(fn.start, fn.end),
    nameAt: place(fn.nameStart, fn.nameStart + fn.name.length),
    uri: fn.uri,
    parameters: fn.params.map((param) => param.name),
    variables: declarations.variables(),
    routine,
    body,
    routineInsertAt: beforeTemplate(file.text, fn.base + fn.start),
    ...(fn.device || fn.global ? { device: true } : {}),
  };
}

/** The start of a definition with its `template <…>`, which the tree does not count as the function's. */
function beforeTemplate(text: string, start: number): number {
  const head = /(?:\btemplate\s*<[^;{}]*>\s*)+$/.exec(text.slice(Math.max(0, start - 600), start));
  return head ? start - head[0].length : start;
}

// ---- statements --------------------------------------------------------------------------------------------------

const standsAlone = new Set([
  'update',
  'enter data',
  'exit data',
  'wait',
  'init',
  'shutdown',
  'set',
  'declare',
  'routine',
  'cache',
]);
const wrapsStatement = new Set([
  'parallel',
  'kernels',
  'serial',
  'data',
  'host_data',
  'atomic',
  'parallel loop',
  'kernels loop',
  'serial loop',
]);

interface Statements {
  list(stmts: readonly Stmt[]): Step[];
}

function createStatements(
  fn: FunctionDecl,
  file: SourceFile,
  declarations: Declarations,
  expressions: Expressions,
  directives: ReadonlyMap<number, Directive>,
): Statements {
  const { text } = file;
  const { value, place } = expressions;
  let atomic = false;

  function indentAt(offset: number): string {
    const line = text.lastIndexOf('\n', offset - 1) + 1;
    return /^[ \t]*/.exec(text.slice(line, offset))![0];
  }
  const stepPlace = (node: { readonly start: number; readonly end: number; readonly macro?: boolean }) => ({
    ...place(node),
    indent: indentAt(fn.base + node.start),
  });

  function list(stmts: readonly Stmt[]): Step[] {
    return stmts.flatMap((stmt) => statement(stmt));
  }

  function statement(stmt: Stmt): Step[] {
    const own = (stmt.pragmas ?? []).flatMap((pragma) => directives.get(fn.base + pragma.start) ?? []);
    return own.length ? governed(stmt, own, 0, []) : plain(stmt, []);
  }

  /** The steps of a statement under its directives from number `at` on, outermost first. */
  function governed(stmt: Stmt, own: readonly Directive[], at: number, loops: readonly Directive[]): Step[] {
    const directive = own[at];
    if (!directive) return plain(stmt, loops);
    if (standsAlone.has(directive.name))
      return [
        {
          kind: 'directive',
          directive,
          start: directive.start,
          end: directive.end,
          indent: indentAt(directive.start),
          ...(directive.macro ? { macro: true } : {}),
        },
        ...governed(stmt, own, at + 1, loops),
      ];
    if (directive.name === 'loop') return governed(stmt, own, at + 1, [...loops, directive]);
    if (!wrapsStatement.has(directive.name)) return governed(stmt, own, at + 1, loops);
    const before = atomic;
    atomic ||= directive.name === 'atomic';
    const inner = governed(stmt, own, at + 1, directive.name.endsWith(' loop') ? [...loops, directive] : loops);
    atomic = before;
    const only =
      inner.length === 1 && inner[0]!.kind === 'block' && stmt.kind === 'block' && at === own.length - 1
        ? inner[0]!
        : undefined;
    const end = Math.max(directive.end, fn.base + stmt.end);
    return [
      {
        kind: 'region',
        directive,
        body: only ? only.body : inner,
        ...(only ? { braces: true } : {}),
        start: directive.start,
        end,
        indent: indentAt(directive.start),
        ...(directive.macro || stmt.macro ? { macro: true } : {}),
      },
    ];
  }

  function plain(stmt: Stmt, loops: readonly Directive[]): Step[] {
    switch (stmt.kind) {
      case 'block':
        return declarations.within(place(stmt), () => [{ kind: 'block', ...stepPlace(stmt), body: list(stmt.body) }]);
      case 'decl':
        return stmt.vars.flatMap((variable): Step[] => {
          const init = variable.init ? value(variable.init) : undefined;
          declarations.declare(variable, variable.storage === 'extern' ? 'global' : 'local', variable.init);
          if (!init) return [];
          const target: Value = {
            kind: 'name',
            name: variable.name,
            start: fn.base + variable.nameStart,
            end: fn.base + variable.nameStart + variable.name.length,
            ...(variable.macro ? { macro: true } : {}),
          };
          return [
            {
              kind: 'assign',
              ...stepPlace(stmt.vars.length === 1 ? stmt : variable),
              target,
              value: init,
              declares: true,
            },
          ];
        });
      case 'expr':
        return expression(stmt.expr, stmt);
      case 'if':
        return declarations.within(place(stmt), () => {
          const init = stmt.init ? statement(stmt.init) : [];
          const step: Step = {
            kind: 'if',
            ...stepPlace(stmt),
            cond: value(stmt.cond),
            then: arm(stmt.then),
            ...(stmt.else ? { else: arm(stmt.else) } : {}),
          };
          return init.length ? [{ kind: 'block', ...stepPlace(stmt), body: [...init, step] }] : [step];
        });
      case 'for':
        return declarations.within(place(stmt), () => {
          const initial = stmt.init ? statement(stmt.init) : [];
          const header: Place = { start: fn.base + stmt.start, end: fn.base + stmt.headerEnd };
          const counted = countedHeader(stmt, value);
          const body = arm(stmt.body);
          const common = { kind: 'loop', ...stepPlace(stmt), header, directives: loops } as const;
          if (counted) return [{ ...common, form: 'counted', ...counted, body } satisfies LoopStep];
          const after = stmt.step ? expression(stmt.step, stmt.step) : [];
          return [
            ...initial,
            {
              ...common,
              form: 'other',
              ...(stmt.cond ? { cond: value(stmt.cond) } : {}),
              body: [...body, ...after],
            } satisfies LoopStep,
          ];
        });
      case 'rangeFor':
        return declarations.within(place(stmt), () => {
          const cond = value(stmt.range);
          declarations.declare(stmt.variable, 'local', undefined);
          return [
            {
              kind: 'loop',
              form: 'other',
              ...stepPlace(stmt),
              header: { start: fn.base + stmt.start, end: fn.base + stmt.range.end + 1 },
              cond,
              body: arm(stmt.body),
              directives: loops,
            } satisfies LoopStep,
          ];
        });
      case 'while':
      case 'do': {
        const close = text.indexOf(')', fn.base + stmt.cond.end - 1);
        const header =
          stmt.kind === 'while'
            ? {
                start: fn.base + stmt.start,
                end:
                  close >= 0 && /^\s*\)?\s*$/.test(text.slice(fn.base + stmt.cond.end, close))
                    ? close + 1
                    : fn.base + stmt.cond.end,
              }
            : { start: fn.base + stmt.start, end: fn.base + stmt.start + 2 };
        return [
          {
            kind: 'loop',
            form: 'while',
            ...stepPlace(stmt),
            header,
            cond: value(stmt.cond),
            body: arm(stmt.body),
            directives: loops,
          } satisfies LoopStep,
        ];
      }
      case 'switch':
        return [{ kind: 'other', ...stepPlace(stmt), reads: [value(stmt.cond)], writes: [], body: arm(stmt.body) }];
      case 'case':
        return list(stmt.body);
      case 'label':
        return statement(stmt.body);
      case 'break':
      case 'continue':
      case 'goto':
        return [{ kind: 'jump', form: stmt.kind, ...stepPlace(stmt) }];
      case 'return':
        return [
          { kind: 'jump', form: 'return', ...stepPlace(stmt), ...(stmt.value ? { value: value(stmt.value) } : {}) },
        ];
      case 'asm':
        return [{ kind: 'other', ...stepPlace(stmt), reads: stmt.inputs.map(value), writes: stmt.outputs.map(value) }];
      case 'try':
        return [
          {
            kind: 'other',
            ...stepPlace(stmt),
            reads: [],
            writes: [],
            body: [...arm(stmt.body), ...stmt.handlers.flatMap(arm)],
          },
        ];
      case 'type':
      case 'empty':
        return [];
      case 'opaque': {
        const statements = stmt.parts.filter(isStatement);
        return [
          {
            kind: 'other',
            ...stepPlace(stmt),
            reads: stmt.parts.filter((part): part is Expr => !isStatement(part)).map(value),
            writes: [],
            ...(statements.length ? { body: list(statements) } : {}),
          },
        ];
      }
    }
  }

  /** The body of a loop or an arm of a branch, without its braces. */
  function arm(stmt: Stmt): Step[] {
    const steps = statement(stmt);
    return steps.length === 1 && steps[0]!.kind === 'block' && stmt.kind === 'block' ? [...steps[0]!.body] : steps;
  }

  function expression(
    expr: Expr,
    node: { readonly start: number; readonly end: number; readonly macro?: boolean },
  ): Step[] {
    const mark = atomic ? { atomic: true } : {};
    switch (expr.kind) {
      case 'assign': {
        const step: AssignStep = {
          kind: 'assign',
          ...stepPlace(node),
          target: value(expr.target),
          ...(expr.op === '=' ? {} : { op: expr.op.slice(0, -1) }),
          value: value(expr.value),
          ...mark,
        };
        return [step];
      }
      case 'update':
        return [
          {
            kind: 'assign',
            ...stepPlace(node),
            target: value(expr.operand),
            op: expr.op === '++' ? '+' : '-',
            value: { kind: 'number', value: 1, integer: true, ...place(expr) },
            ...mark,
          },
        ];
      case 'binary':
        if (expr.op === ',') return [...expression(expr.left, expr.left), ...expression(expr.right, expr.right)];
        break;
      case 'cast':
        return expression(expr.operand, node);
      default:
        break;
    }
    const read = value(expr);
    if (read.kind === 'call') return [{ kind: 'call', ...stepPlace(node), call: read }];
    return [{ kind: 'other', ...stepPlace(node), reads: [read], writes: [] }];
  }

  return { list };
}

function isStatement(part: Stmt | Expr): part is Stmt {
  return (
    [
      'block',
      'decl',
      'expr',
      'if',
      'for',
      'rangeFor',
      'while',
      'do',
      'switch',
      'case',
      'break',
      'continue',
      'return',
      'goto',
      'label',
      'asm',
      'type',
      'try',
      'empty',
    ].includes(part.kind) ||
    (part.kind === 'opaque' && 'pragmas' in part)
  );
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
        while (line < lines.length - 1 && /^\s*(\/\/.*)?$/.test(lines[line]!)) line++;
      }
      return [{ start: comment.start, end: comment.end, atMost: Number(match[2]), exact: match[1] !== '<=', line }];
    });
}
