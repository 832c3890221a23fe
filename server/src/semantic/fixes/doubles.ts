// Finds double literals and double functions that pull float arithmetic of device code into double precision and back.
import { isBracketed } from './writing/edits';
import {
  scopeAround,
  type AnySyntax,
  type Fn,
  isFloatFunction,
  isOverloadedMath,
  runsOnHostAlone,
  calleeName,
  repeatedBy,
  isDouble,
  isDoubleMacro,
  isFloat,
  type Typing,
} from '../language';
import type { Expr } from '../../syntax/ast';
import type { DoubleFact, DoubleGroup, Edit, Loss, Reason } from '../model';
import { ownTypeOf } from './ownType';
import { lossOf, worst } from './rounding';

/** What a double computation is made of, down to values that were not made of other doubles. */
interface Parts {
  readonly literals: Expr[];
  readonly floats: Expr[];
  /** Math functions that are double only because an integer is next to a float: `pow(x, 2)`. */
  readonly functions: (Expr & { kind: 'call' })[];
  operations: number;
  /** A value that is double on purpose, or of an unknown type. */
  deliberate: boolean;
}

/** The double constants and functions in float arithmetic of one kernel or device function. */
export function findDoubles(fn: Fn): DoubleFact[] {
  const { decl, locals } = fn;
  if (!decl.body || !(decl.global || decl.device) || runsOnHostAlone(fn)) return [];
  const facts: DoubleFact[] = [];
  const seen = new Set<string>();
  /** The computation that each is in. */
  const expressions = new Map<DoubleFact, Computation>();
  /** Constants of comparisons that the compiler makes in float anyway; a change of the others takes them along. */
  const compared: Edit[] = [];
  const add = (fact: DoubleFact, computation: Computation): void => {
    facts.push(fact);
    expressions.set(fact, computation);
  };
  for (const node of locals.nodes) {
    const computation = computationAt(node, fn.typing, fn);
    if (!computation) continue;
    const { parts, single } = computation;
    if (parts.deliberate || !parts.operations || !parts.floats.length) continue;
    const nearest = (to: Expr): string =>
      shorten(fn.text([...parts.floats].sort((a, b) => distance(a, to) - distance(b, to))[0]!));
    const loop = repeatedBy(node, locals);
    const loopAt = loop && fn.span(loop);
    const narrow = ownTypeOf(parts.floats, fn, fn.typing);
    for (const literal of parts.literals) {
      const at = fn.span(literal);
      const key = `${at.start}-${at.end}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const text = fn.text(literal);
      const fromMacro = literal.macro || literal.kind === 'name';
      const isHeld = literal.kind === 'number' && Math.fround(literal.value) === literal.value;
      const exact = single && isHeld;
      const replacement = replacementFor(text, fromMacro, narrow, fn);
      if (computation.comparison && isHeld) {
        if (replacement !== undefined && !fromMacro) compared.push({ at, newText: replacement });
        continue;
      }
      const fact: DoubleFact = {
        kind: 'double',
        at,
        function: decl.name,
        form: fromMacro ? 'macro' : 'literal',
        text,
        kernels: fn.kernels,
        floatOperand: nearest(literal),
        exact,
        ...(replacement === undefined
          ? {}
          : { replacement: { text: replacement, edit: { at, newText: replacement } } }),
        loss: computation.loss,
        ...(loopAt ? { loopAt } : {}),
        related: related(fn, text, fromMacro),
      };
      add(fact, computation);
    }
    for (const call of parts.functions) {
      const at = fn.span(call.callee);
      const key = `${at.start}-${at.end}`;
      if (seen.has(key) || call.callee.kind !== 'name') continue;
      seen.add(key);
      // Near a constant that it is subtracted from, all that is left is the function's error.
      const isDifference = differsFromConstant(call, fn) && computation.loss === 'cancellation';
      const replacement = isDifference ? undefined : floatCall(call, narrow, fn, fn.typing);
      const fact: DoubleFact = {
        kind: 'double',
        at,
        function: decl.name,
        form: 'function',
        text: fn.text(call.callee),
        kernels: fn.kernels,
        floatOperand: nearest(call.args.find((arg) => isFloat(fn.typing.typeOf(arg))) ?? call),
        exact: false,
        ...(replacement ? { replacement } : {}),
        loss: computation.loss,
        ...(loopAt ? { loopAt } : {}),
        related: [],
      };
      add(fact, computation);
    }
  }
  return grouped(
    facts.sort((a, b) => a.at.start - b.at.start),
    expressions,
    compared,
    decl.name,
  );
}

/** Each fact with the replacements that have to come with its own for the computation to become a float one. */
function grouped(
  facts: readonly DoubleFact[],
  expressions: ReadonlyMap<DoubleFact, Computation>,
  compared: DoubleGroup['edits'],
  name: string,
): DoubleFact[] {
  const editsOf = (members: readonly DoubleFact[]): DoubleGroup['edits'] =>
    members.flatMap(({ replacement }) => (replacement === undefined ? [] : [replacement.edit]));
  const all = [...editsOf(facts), ...compared].sort((a, b) => a.at.start - b.at.start);
  const most = worst([...new Set(expressions.values())].map((each) => each.loss));
  const loss = typeof most === 'number' ? 'statements' : most;
  return facts.map((fact) => {
    if (fact.replacement === undefined) return fact;
    const together: DoubleGroup[] = [];
    const near = facts.filter((other) => expressions.get(other) === expressions.get(fact));
    const edits = editsOf(near);
    // With one left that cannot be replaced, the others are replaced for nothing.
    if (edits.length > 1 && edits.length === near.length)
      together.push({ scope: 'expression', edits, loss: fact.loss });
    if (all.length > Math.max(1, edits.length)) together.push({ scope: 'function', name, edits: all, loss });
    return together.length > 0 ? { ...fact, together } : fact;
  });
}

function distance(a: Expr, b: Expr): number {
  return Math.max(0, a.start - b.end, b.start - a.end);
}
function shorten(text: string): string {
  const one = text.replace(/\s+/g, ' ');
  return one.length > 40 ? `${one.slice(0, 37)}…` : one;
}

/** The float of a double constant: by the type that the operands beside it are declared with, where it has a name. */
function replacementFor(text: string, fromMacro: boolean, narrow: string | undefined, fn: Fn): string | undefined {
  if (fromMacro) {
    if (!/^[A-Za-z_]\w*$/.test(text)) return undefined;
    return narrow !== undefined ? `${narrow}(${text})` : isOneOperand(text, fn) ? `(float)${text}` : undefined;
  }
  const isLiteralText =
    (/^-?(\d[\d']*\.?[\d']*|\.\d[\d']*)([eE][+-]?\d+)?$/.test(text) && /[.eE]/.test(text)) ||
    /^-?0[xX][\da-fA-F.']+[pP][+-]?\d+$/.test(text);
  return !isLiteralText ? undefined : narrow === undefined ? `${text}f` : `${narrow}(${text})`;
}

function differsFromConstant(call: Expr, fn: Fn): boolean {
  const around = fn.parent(call);
  return (
    around?.kind === 'binary' && around.op === '-' && [around.left, around.right].some(({ kind }) => kind === 'number')
  );
}

/** The float function, or the function of the code's own type by its integer argument. */
function floatCall(
  { callee, args }: Expr & { kind: 'call' },
  narrow: string | undefined,
  fn: Fn,
  typing: Typing,
): DoubleFact['replacement'] {
  if (callee.macro) return undefined;
  const written = (node: Expr, text: string): DoubleFact['replacement'] => ({
    text,
    edit: { at: fn.span(node), newText: text },
  });
  if (narrow === undefined) return written(callee, `${fn.text(callee)}f`);
  const [only, ...others] = args.filter((arg) => !isFloat(typing.typeOf(arg)));
  return only && others.length === 0 && !only.macro ? written(only, `${narrow}(${fn.text(only).trim()})`) : undefined;
}

/** Whether macros of the name are one operand, so that a cast before it is a cast of all that they stand for. */
function isOneOperand(name: string, fn: Fn, depth = 0): boolean {
  return fn.unit.files.every(({ macros }) =>
    macros.every((macro) => {
      if (macro.name !== name) return true;
      const body = macro.body.trim();
      if (macro.params || depth > 9) return false;
      if (/^[A-Za-z_]\w*$/.test(body)) return isOneOperand(body, fn, depth + 1);
      return /^[\d.](?:[\w.]|[eEpP][-+])*$/.test(body) || isBracketed(body);
    }),
  );
}

function related(fn: Fn, text: string, fromMacro: boolean): Reason[] {
  if (!fromMacro) return [];
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
  for (const file of fn.unit.files) {
    const macro = [...file.macros].reverse().find((candidate) => candidate.name === name);
    if (macro && macro.start >= 0)
      return [
        {
          at: { uri: macro.uri, start: macro.start, end: macro.start + macro.name.length },
          text: `\`${macro.name}\` is the double ${macro.body.trim()}`,
        },
      ];
  }
  return [];
}

interface Computation {
  readonly parts: Parts;
  readonly single: boolean;
  readonly comparison: boolean;
  /** By what its result may differ as a float one. */
  readonly loss: Loss;
}

/**
 * A whole double computation whose result turns into float again (or is compared with a float) at `node`; undefined
 * elsewhere.
 */
function computationAt(node: AnySyntax, typing: Typing, fn: Fn): Computation | undefined {
  const whole = (
    expr: Expr | undefined,
    extra: readonly Expr[] = [],
    virtual = false,
    isSum = false,
  ): Computation | undefined => {
    if (!expr || !isDouble(typing.typeOf(expr))) return undefined;
    const parts: Parts = {
      literals: [],
      floats: [...extra],
      functions: [],
      operations: virtual ? 1 : 0,
      deliberate: false,
    };
    collect(expr, parts, typing);
    const plain = unwrap(expr);
    const single =
      parts.operations === 1 &&
      parts.literals.length === 1 &&
      parts.floats.length === 1 &&
      (virtual ? isLiteral(plain) : plain.kind === 'binary' && parts.functions.length === 0);
    return { parts, single, comparison: false, loss: isSum ? 'cancellation' : lossOf(expr, typing, extra.length) };
  };
  switch (node.kind) {
    case 'var': {
      if (!node.init || node.constexpr || node.type.kind === 'array') return undefined;
      const type = fn.types.resolve(node.type, undefined, scopeAround(fn.decl));
      return isFloat(type.kind === 'reference' ? type.to : type)
        ? whole(node.init.kind === 'initList' && node.init.elements.length === 1 ? node.init.elements[0] : node.init)
        : undefined;
    }
    case 'assign':
      if (!isFloat(typing.typeOf(node.target))) return undefined;
      if (node.op === '=') return whole(node.value);
      return /^[-+*/]=$/.test(node.op) ? whole(node.value, [node.target], true, /^[-+]/.test(node.op)) : undefined;
    case 'return':
      return node.value && isFloat(typing.resultType) && !insideLambda(node, fn) ? whole(node.value) : undefined;
    case 'cast': {
      const type = fn.types.resolve(node.type);
      return isFloat(type) ? whole(node.operand) : undefined;
    }
    case 'call': {
      const name = calleeName(node);
      if (!name) return undefined;
      if (isFloat(typing.conversionOf(node))) return whole(node.args[0]);
      const found = node.args
        .map((arg, position) =>
          isFloat(typing.parameterType(name, position, node.args.length)) ? whole(arg) : undefined,
        )
        .filter((one): one is Computation => !!one);
      if (!found.length && /^atomic(Add|Exch)/.test(name) && node.args.length === 2 && isFloat(typing.typeOf(node)))
        return whole(node.args[1]);
      if (found.length < 2) return found[0];
      // Several arguments: their parts are reported together, none of them as a single operation unless it is alone.
      const merged: Parts = { literals: [], floats: [], functions: [], operations: 0, deliberate: false };
      for (const one of found) {
        if (one.parts.deliberate || !one.parts.floats.length || !one.parts.operations) continue;
        merged.literals.push(...one.parts.literals);
        merged.floats.push(...one.parts.floats);
        merged.functions.push(...one.parts.functions);
        merged.operations += one.parts.operations;
      }
      return {
        parts: merged,
        single: found.every((one) => one.single),
        comparison: false,
        loss: worst(found.map(({ loss }) => loss)),
      };
    }
    case 'binary': {
      if (!/^(<|>|<=|>=|==|!=)$/.test(node.op)) return undefined;
      const left = typing.typeOf(node.left);
      const right = typing.typeOf(node.right);
      const constant =
        isFloat(left) && isLiteral(unwrap(node.right))
          ? node.right
          : isFloat(right) && isLiteral(unwrap(node.left))
            ? node.left
            : undefined;
      if (!constant) {
        // `x < y + h * 0.5` with floats all round: the sum and the comparison are double.
        const result =
          isFloat(left) && isDouble(right)
            ? whole(node.right, [node.left])
            : isDouble(left) && isFloat(right)
              ? whole(node.left, [node.right])
              : undefined;
        return result ? { ...result, single: false } : undefined;
      }
      if (!isDouble(typing.typeOf(constant))) return undefined;
      const result = whole(constant, [constant === node.right ? node.left : node.right], true);
      return result ? { ...result, single: false, comparison: true } : undefined;
    }
    default:
      return undefined;
  }
}

function insideLambda(node: AnySyntax, fn: Fn): boolean {
  for (const around of fn.around(node)) if (around.kind === 'lambda') return true;
  return false;
}

function unwrap(expr: Expr): Expr {
  return expr.kind === 'unary' && (expr.op === '-' || expr.op === '+') ? unwrap(expr.operand) : expr;
}
function isLiteral(expr: Expr): boolean {
  return (expr.kind === 'number' && expr.type === 'double') || (expr.kind === 'name' && isDoubleMacro(expr.name));
}

/** Gathers the parts of an expression of type double. */
function collect(expr: Expr, parts: Parts, typing: Typing): void {
  const type = typing.typeOf(expr);
  if (!type) {
    parts.deliberate = true;
    return;
  }
  if (isFloat(type)) {
    parts.floats.push(expr);
    return;
  }
  if (!isDouble(type)) {
    if (type.kind !== 'scalar') parts.deliberate = true;
    return;
  }
  switch (expr.kind) {
    case 'number':
      if (expr.type === 'double') parts.literals.push(expr);
      return;
    case 'name':
      if (isDoubleMacro(expr.name)) parts.literals.push(expr);
      else parts.deliberate = true;
      return;
    case 'unary':
      if (expr.op === '-' || expr.op === '+') collect(expr.operand, parts, typing);
      else parts.deliberate = true;
      return;
    case 'binary':
      if (!/^[-+*/]$/.test(expr.op)) {
        parts.deliberate = true;
        return;
      }
      // Arithmetic on constants alone happens at compile time.
      if (!(isConstant(expr.left, typing) && isConstant(expr.right, typing))) parts.operations++;
      collect(expr.left, parts, typing);
      collect(expr.right, parts, typing);
      return;
    case 'conditional':
      collect(expr.then, parts, typing);
      collect(expr.else, parts, typing);
      return;
    case 'call': {
      const name = calleeName(expr);
      if (
        !name ||
        !(isOverloadedMath(name) || name === 'min' || name === 'max' || name === 'abs') ||
        isFloatFunction(name)
      ) {
        parts.deliberate = true;
        return;
      }
      if (!expr.args.every((arg) => isConstant(arg, typing))) parts.operations++;
      const types = expr.args.map((arg) => typing.typeOf(arg));
      if (types.some(isFloat) && !types.some(isDouble)) parts.functions.push(expr);
      for (const arg of expr.args) collect(arg, parts, typing);
      return;
    }
    default:
      parts.deliberate = true;
  }
}

function isConstant(expr: Expr, typing: Typing): boolean {
  switch (expr.kind) {
    case 'number':
      return true;
    case 'name':
      return isDoubleMacro(expr.name) || typing.constantOf(expr) !== undefined;
    case 'unary':
      return isConstant(expr.operand, typing);
    case 'cast':
      return isConstant(expr.operand, typing);
    case 'binary':
      return isConstant(expr.left, typing) && isConstant(expr.right, typing);
    default:
      return false;
  }
}
