// Statements of C and C++ as steps, each directive bound to the statement that it governs.
import { isStatement } from '../../language';
import { directives as table } from '../../../syntax/directives/table';
import type { Expr, FunctionDecl, SourceFile, Stmt } from '../../../syntax/ast';
import type { AssignStep, Directive, LoopStep, Place, Step, Value } from '../../../syntax/procedures';
import { countedHeader } from './countedLoops';
import type { Declarations } from './scopes';
import { type Expressions, placeOfName } from './expressions';

// ---- statements --------------------------------------------------------------------------------------------------

/** Statements that are no loop whatever a macro of an unread header stands for. */
const noLoops: ReadonlySet<Stmt['kind']> = new Set(['block', 'decl', 'if', 'switch', 'return', 'empty']);

interface Statements {
  list(stmts: readonly Stmt[]): Step[];
}

export function createStatements(
  fn: FunctionDecl,
  file: SourceFile,
  declarations: Declarations,
  expressions: Expressions,
  directives: ReadonlyMap<number, Directive>,
  /** Gets each directive for a loop that no loop follows. */
  noteLoopless: (directive: Directive) => void,
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

  const other = (stmt: Stmt, reads: readonly Value[], writes: readonly Value[], body?: readonly Step[]): Step => ({
    kind: 'other',
    ...stepPlace(stmt),
    reads,
    writes,
    ...(body ? { body } : {}),
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
    if (!directive) {
      const last = loops.at(-1);
      if (last && (noLoops.has(stmt.kind) || (stmt.kind === 'expr' && stmt.expr.kind !== 'call'))) noteLoopless(last);
      return plain(stmt, loops);
    }
    const association = table.get(directive.name)?.association;
    if (association && !['block', 'loop'].includes(association))
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
    if (association === undefined) return governed(stmt, own, at + 1, loops);
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
          const target: Value = { kind: 'name', name: variable.name, ...placeOfName(fn.base, variable) };
          const at = stepPlace(stmt.vars.length === 1 ? stmt : variable);
          return [{ kind: 'assign', ...at, target, value: init, declares: true }];
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
        const { start } = place(stmt);
        const { end } = place(stmt.cond);
        const close = text.indexOf(')', end - 1);
        const isClosed = close >= 0 && /^\s*\)?\s*$/.test(text.slice(end, close));
        const header = { start, end: stmt.kind === 'do' ? start + 2 : isClosed ? close + 1 : end };
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
        return [other(stmt, [value(stmt.cond)], [], arm(stmt.body))];
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
        return [other(stmt, stmt.inputs.map(value), stmt.outputs.map(value))];
      case 'try':
        return [other(stmt, [], [], [...arm(stmt.body), ...stmt.handlers.flatMap(arm)])];
      case 'type':
      case 'empty':
        return [];
      case 'opaque': {
        const statements = stmt.parts.filter(isStatement);
        const values = stmt.parts.filter((part): part is Expr => !isStatement(part));
        return [other(stmt, values.map(value), [], statements.length ? list(statements) : undefined)];
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
