// Finds calls of device code whose result a few multiplications give as well: powers with a constant exponent or base,
// and the reciprocal of a square root.
import {
  scopeAround,
  assignedNames,
  type Fn,
  runsOnHostAlone,
  calleeName,
  mentions,
  namesIn,
  savedByReciprocal,
  repeatedBy,
  childrenOf,
  some,
  type AnySyntax,
  isDouble,
  isFloat,
  type Typing,
  type Type,
  writtenAround,
} from '../language';
import type { Expr, Stmt } from '../../syntax/ast';
import type { DoubleFact, MathFact } from '../model';
import { freshNamesOf, parenthesised } from './writing/edits';
import { type Call, cosineAt, isFolded, libraryName, savedOf } from './angles';
import { ownTypeOf } from './ownType';
import { knowledgeOf } from '../flow';
import { isPure } from '../program';

/** Whole exponents that are written out as products; beyond them the text is worse than the call. */
const mostFactors = 6;
/** Characters of a base that are repeated without harm to the eye. */
const longestBase = 32;

/**
 * The calls of one kernel or device function; nvcc computes each by the general routine (measured: 5 to 37 times as
 * long as what it could be). `doubles` are those facts of the function: a call that is double by accident becomes a
 * float product.
 */
export function findSlowMath(fn: Fn, doubles: readonly DoubleFact[]): MathFact[] {
  const { decl, locals } = fn;
  if (!decl.body || !(decl.global || decl.device) || runsOnHostAlone(fn)) return [];
  const facts: MathFact[] = [];
  /** Where functions stand that an integer beside a float made double. */
  const accidental = new Set(doubles.flatMap(({ form, at }) => (form === 'function' ? [at.start] : [])));
  const seen = new Set<number>();
  const divided = new Set<string>();
  const fresh = freshNamesOf(fn);
  let names = 0;
  // One name for each, so that all fixes can be made at once.
  const nameOf = (): string => {
    const name = ++names > 1 ? `base${names}` : 'base';
    return fresh(name) === name ? name : nameOf();
  };
  for (const node of locals.nodes) {
    const found: Found | undefined =
      node.kind === 'call'
        ? (shiftAt(node, fn, fn.typing) ?? cosineAt(node, fn) ?? powerAt(node, fn, fn.typing, accidental, nameOf))
        : node.kind === 'binary' || node.kind === 'assign'
          ? (reciprocalRootAt(node, fn, fn.typing) ?? divisionAt(node, fn, divided))
          : undefined;
    // A macro's operations all stand where it is called.
    if (!found || seen.has(node.start)) continue;
    // A function of the program with the better one's name may be the one that contains the call.
    if (/^\w+$/.test(found.better) && fn.program.functions(found.better).length > 0) continue;
    seen.add(node.start);
    const { product, named, ...rest } = found;
    const isWritten = !node.macro && (node.kind === 'binary' || fn.text(node).includes('('));
    const inFrontOf = named !== undefined && isWritten ? inFront(named, fn) : undefined;
    const loop = repeatedBy(node, locals);
    facts.push({
      kind: 'math',
      at: fn.span(node),
      function: decl.name,
      kernels: fn.kernels,
      text: fn.text(node),
      ...(loop ? { loopAt: fn.span(loop) } : {}),
      ...rest,
      ...(product !== undefined && isWritten ? { replacement: fitted(product, node, fn) } : {}),
      ...(inFrontOf ? { named: inFrontOf } : {}),
    });
  }
  return facts;
}

interface Found extends Pick<MathFact, 'form' | 'double' | 'better' | 'saved'> {
  /** What stands for the call, as an operand or, with `operator`, an expression that others may bind into. */
  readonly product?: { readonly text: string; readonly operator: boolean };
  /** What is computed once, before the statement, under that name. */
  readonly named?: { readonly name: string; readonly type: string; readonly value: string; readonly statement: Stmt };
}

/** `int width = pow(2, i)`: a whole power of two that goes through floating point. */
function shiftAt(call: Call, fn: Fn, typing: Typing): Found | undefined {
  const name = libraryName(call, 2, fn);
  if (!name || !/^(?:pow|powf|__powf)$/.test(name)) return undefined;
  const [base, exponent] = call.args as [Expr, Expr];
  if (numberOf(base) !== 2 || numberOf(exponent) !== undefined || !isWhole(typing.typeOf(exponent))) return undefined;
  const taken = takenAs(call, fn, typing);
  // A wider one may hold powers that an `int` does not.
  if (taken?.kind !== 'scalar' || taken.size !== 4 || !isWhole(taken)) return undefined;
  const better = `1 << ${parenthesised(fn, exponent)}`;
  return { form: 'shift', double: name === 'pow', better, product: { text: better, operator: true } };
}

/** The type that a value is converted to where it stands; undefined where nothing converts it. */
function takenAs(expr: Expr, fn: Fn, typing: Typing): Type | undefined {
  const around = fn.parent(expr);
  switch (around?.kind) {
    case 'var':
      return around.init === expr ? fn.types.resolve(around.type, undefined, scopeAround(fn.decl)) : undefined;
    case 'assign':
      return around.op === '=' && around.value === expr ? typing.typeOf(around.target) : undefined;
    case 'cast':
      return fn.types.resolve(around.type);
    default:
      return undefined;
  }
}

/** An integer of at least 32 bits. */
function isWhole(type: Type | undefined): boolean {
  return type?.kind === 'scalar' && !type.float && type.size >= 4 && type.name !== 'bool';
}

function powerAt(
  call: Call,
  fn: Fn,
  typing: Typing,
  accidents: ReadonlySet<number>,
  nameOf: () => string,
): Found | undefined {
  const name = libraryName(call, 2, fn);
  if (name !== 'pow' && name !== 'powf') return undefined;
  const [base, exponent] = call.args as [Expr, Expr];
  const type = typing.typeOf(call);
  const double = isDouble(type);
  if (!double && !isFloat(type)) return undefined;
  const fixed = numberOf(base);
  if (fixed === 2 || fixed === 10) {
    // An exponent that is a constant, too, is computed by the compiler.
    if (isFolded(exponent, fn)) return undefined;
    const exponentType = typing.typeOf(exponent);
    if (double ? !isDouble(exponentType) : !isFloat(exponentType)) return undefined;
    const better = `exp${fixed}${double ? '' : 'f'}`;
    const product = { text: `${better}(${fn.text(exponent)})`, operator: false };
    return { form: 'base', double, better, product };
  }
  if (fixed !== undefined || isFolded(base, fn) || (exponent.macro && !call.macro)) return undefined;
  const power = numberOf(exponent);
  if (power === undefined) return undefined;
  const baseType = typing.typeOf(base);
  const narrowed = double && isFloat(baseType);
  if (!isFloat(baseType) && !isDouble(baseType)) return undefined;
  // A float that is squared in double, and lands in a float again, was not meant to.
  const accidental = narrowed && accidents.has(fn.span(call.callee).start);
  const inFloat = !double || accidental;
  const better = betterOf(power, inFloat);
  if (better === undefined) return undefined;
  const common = { form: 'exponent', double, better } as const;
  // A cube root of a negative number is one, its power is none, and a third in digits is not quite one.
  if (isThird(power)) return { ...common, saved: savedOf(['pow'], power < 0 ? 'rcbrt' : 'cbrt', !inFloat) };
  const written = fn.text(base);
  const times = timesText(call, fn);
  const isShort = isRepeatable(base) && written.length <= longestBase;
  // A square of an operation reads as one; of what is written more often each time has to be compared.
  const isPlain = isShort && (power <= 2 || !isOperation(base));
  const statement = isPlain ? undefined : statementOf(call, base, fn);
  if (!isShort && !statement) return common;
  if (statement) {
    const name = nameOf();
    const value = narrowed && !accidental ? `(double)${name}` : name;
    return {
      ...common,
      product: { text: writtenOut(power, name, value, inFloat, times), operator: !isRoot(power) },
      named: { name, type: isFloat(baseType) ? 'float' : 'double', value: written, statement },
    };
  }
  const operand = parenthesised(fn, base);
  const widened = narrowed && !accidental ? `(double)${operand}` : operand;
  return {
    ...common,
    product: { text: writtenOut(power, operand, widened, inFloat, times), operator: !isRoot(power) },
  };
}

/**
 * The statement before which the base can be computed: the call is made whenever the statement runs, and nothing
 * in the statement changes anything before it does.
 */
function statementOf(call: Call, base: Expr, fn: Fn): Stmt | undefined {
  if (base.macro || !isPure(base, fn) || fn.locals.nodes.some((node) => node.kind === 'goto')) return undefined;
  let inner: AnySyntax = call;
  for (const around of fn.around(call)) {
    switch (around.kind) {
      case 'binary':
        if (/^(&&|\|\||,)$/.test(around.op)) return undefined;
        break;
      case 'unary':
      case 'cast':
      case 'call':
      case 'index':
        if (!isPure(around, fn)) return undefined;
        break;
      case 'assign':
        if (fn.parent(around)?.kind !== 'expr' || !isPure(around.value, fn) || !isPure(around.target, fn))
          return undefined;
        break;
      case 'var':
        break;
      case 'decl':
        if (around.vars.length > 1 || around.vars[0]!.storage || !isPure(around.vars[0]!.init!, fn)) return undefined;
        return hasPlace(around, fn) ? around : undefined;
      case 'return':
        return around.value && isPure(around.value, fn) && hasPlace(around, fn) ? around : undefined;
      case 'expr':
        return inner.kind === 'assign' && hasPlace(around, fn) ? around : undefined;
      default:
        return undefined;
    }
    inner = around;
  }
  return undefined;
}
/** One of the statements of a block that no `switch` jumps into, or alone what a branch or a loop runs. */
function hasPlace(stmt: Stmt, fn: Fn): boolean {
  const around = fn.parent(stmt);
  if (stmt.macro || !around) return false;
  if (around.kind === 'block') return fn.parent(around)?.kind !== 'switch';
  return isAlone(stmt, fn);
}
function isAlone(stmt: Stmt, fn: Fn): boolean {
  const around = fn.parent(stmt);
  if (around?.kind === 'if') return around.then === stmt || around.else === stmt;
  return (around?.kind === 'for' || around?.kind === 'while' || around?.kind === 'do') && around.body === stmt;
}

function inFront(named: NonNullable<Found['named']>, fn: Fn): MathFact['named'] {
  const { name, type, value, statement } = named;
  const { uri, start } = fn.span(statement);
  const { text } = fn.file;
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const declaration = `const ${type} ${name} = ${value};`;
  if (isAlone(statement, fn)) return { name, value, edits: writtenAround(fn, statement, { before: [declaration] }) };
  const between = /^\s*$/.test(line) ? `${fn.newline}${line}` : ' ';
  return { name, value, edits: [{ at: { uri, start, end: start }, newText: `${declaration}${between}` }] };
}

/** A division by what is the same for the whole grid, where the compiler makes it as often as the text says. */
function divisionAt(node: Division, fn: Fn, divided: Set<string>): Found | undefined {
  const [op, left, right] =
    node.kind === 'binary' ? [node.op, node.left, node.right] : [node.op.slice(0, -1), node.target, node.value];
  if (op !== '/' && op !== '%') return undefined;
  const saved = savedByReciprocal(left, right, fn);
  // What all threads compute alike is a reciprocal itself, or seldom.
  if (!saved || knowledgeOf(right, fn).level !== 1 || knowledgeOf(left, fn).level < 2) return undefined;
  const loop = repeatedBy(node, fn.locals);
  const changes = (around: AnySyntax): boolean =>
    [...namesIn(left)].some((name) => assignedNames(around).has(name)) ||
    some(around, (one) => one.kind === 'var' && mentions(left, one.name));
  // The reciprocal of a float takes a division as well, and what a loop leaves alone is computed before it.
  if (loop ? !changes(loop) : saved.real && fn.decl.global) return undefined;
  // Few threads come to what is under an equality, and `i / n` and `i % n` come of one division.
  const isRare = [...fn.around(node)].some(
    (at) => at.kind === 'if' && at.cond.kind === 'binary' && at.cond.op === '==',
  );
  const key = `${fn.text(left)} / ${fn.text(right)}`;
  if (isRare || divided.has(key)) return undefined;
  divided.add(key);
  const { real, ...rest } = saved;
  const double = saved.doubles > 0;
  const common = { form: 'divisor', double, better: real ? 'reciprocal' : 'multiplier', saved: rest } as const;
  if (!real || !loop || node.kind !== 'binary' || ownTypeOf([left, right], fn, fn.typing)) return common;
  // Parentheses stand around the operands.
  const [whole, from, to] = [fn.span(node), fn.span(left).end, fn.span(right).start];
  const between = fn.file.text.slice(from, to);
  if (!/^[\s)]*\/[\s(]*$/.test(between)) return common;
  const operator = between.replace('/', `* (${double ? '1.0' : '1.0f'} /`);
  const text = `${fn.file.text.slice(whole.start, from)}${operator}${fn.file.text.slice(to, whole.end)})`;
  return { ...common, product: { text, operator: true } };
}
type Division = Expr & { kind: 'binary' | 'assign' };

function reciprocalRootAt(node: Division, fn: Fn, typing: Typing): Found | undefined {
  if (node.kind !== 'binary' || node.op !== '/' || node.right.kind !== 'call') return undefined;
  const name = libraryName(node.right, 1, fn);
  if (name !== 'sqrt' && name !== 'sqrtf') return undefined;
  if (numberOf(node.left) !== 1) return undefined;
  const type = typing.typeOf(node);
  const root = typing.typeOf(node.right);
  const double = isDouble(type);
  // `1.0 / sqrtf(x)` is another matter: its literal.
  if (double !== isDouble(root) || (!double && !(isFloat(type) && isFloat(root)))) return undefined;
  if (double !== isDouble(typing.typeOf(node.right.args[0]!))) return undefined;
  const better = double ? 'rsqrt' : 'rsqrtf';
  const [inner] = node.right.args;
  // The compiler computes it.
  if (isFolded(inner!, fn)) return undefined;
  // What a macro makes of the root and of what is in it has one text for both: that of the macro. A type with a name of
  // the code may be double in another build.
  const narrow = ownTypeOf([inner!], fn, typing);
  if ((node.right.macro && inner!.macro) || narrow !== undefined) return { form: 'reciprocal-root', double, better };
  const product = { text: `${better}(${fn.text(inner!)})`, operator: false };
  return { form: 'reciprocal-root', double, better, product };
}

/** The number that an expression is, where it is a constant as written. */
function numberOf(expr: Expr): number | undefined {
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'unary': {
      const operand = expr.op === '-' || expr.op === '+' ? numberOf(expr.operand) : undefined;
      return operand === undefined ? undefined : expr.op === '-' ? -operand : operand;
    }
    case 'binary': {
      const [over, under] = expr.op === '/' ? [numberOf(expr.left), numberOf(expr.right)] : [];
      const isReal = some(expr, (node) => node.kind === 'number' && /float|double/.test(node.type));
      return over !== undefined && under && isReal ? over / under : undefined;
    }
    case 'cast':
      return numberOf(expr.operand);
    case 'call': {
      // `float(2)`
      const name = calleeName(expr);
      return (name === 'float' || name === 'double') && expr.args.length === 1 ? numberOf(expr.args[0]!) : undefined;
    }
    default:
      // A name may have been given so that the number can change.
      return undefined;
  }
}

/** As `1.0f / 3`, or in digits. */
function isThird(power: number): boolean {
  return Math.abs(Math.abs(power) - 1 / 3) < 1e-6;
}

function isRoot(power: number): boolean {
  return power === 0.5 || power === -0.5;
}

/** In the words of a message: what does the same; undefined for exponents that have no short form. */
function betterOf(power: number, inFloat: boolean): string | undefined {
  const suffix = inFloat ? 'f' : '';
  if (power === 0.5) return `sqrt${suffix}`;
  if (power === -0.5) return `rsqrt${suffix}`;
  if (power === 1.5) return `x * sqrt${suffix}(x)`;
  if (isThird(power)) return `${power < 0 ? 'r' : ''}cbrt${suffix}`;
  if (power === -1) return 'a division';
  if (power === -2) return 'a product and a division';
  if (Number.isInteger(power) && power >= 2 && power <= mostFactors)
    return power === 2 ? 'one multiplication' : `${power <= 4 ? 2 : 3} multiplications`;
  return undefined;
}

/** A multiplication, with blanks unless one right beside the call has none. */
function timesText(call: Call, fn: Fn): string {
  const { start, end } = fn.span(call);
  const { text } = fn.file;
  return /[*/]/.test(text[start - 1]! + text[end]!) ? '*' : ' * ';
}

/** `widened` is the operand as it stands first, where the product is to be of a wider type than it. */
function writtenOut(power: number, operand: string, widened: string, inFloat: boolean, times: string): string {
  const suffix = inFloat ? 'f' : '';
  const bare = widened === operand && operand.startsWith('(') ? operand.slice(1, -1) : widened;
  if (power === 0.5) return `sqrt${suffix}(${bare})`;
  if (power === -0.5) return `rsqrt${suffix}(${bare})`;
  if (power === 1.5) return `${widened}${times}sqrt${suffix}(${bare})`;
  const over = `${inFloat ? '1.0f' : '1.0'}${times.replace('*', '/')}`;
  if (power === -1) return `${over}${operand}`;
  const square = `${widened}${times}${operand}`;
  if (power === -2) return `${over}(${square})`;
  if (power <= 3) return power === 2 ? square : `${square}${times}${operand}`;
  // Products of equal parts are computed once.
  const parts = Array.from({ length: Math.floor(power / 2) }, () => `(${square})`);
  return [...parts, ...(power % 2 === 1 ? [operand] : [])].join(times);
}

/** Reading it twice does what reading it once does. */
function isRepeatable(expr: Expr): boolean {
  switch (expr.kind) {
    case 'name':
    case 'number':
      return true;
    case 'member':
    case 'index':
    case 'unary':
    case 'binary':
    case 'cast':
    case 'conditional':
      return childrenOf(expr).every((child) => isRepeatable(child as Expr));
    default:
      return false;
  }
}

function isOperation(expr: Expr): boolean {
  return expr.kind === 'binary' || expr.kind === 'conditional' || (expr.kind === 'unary' && isOperation(expr.operand));
}

/** With parentheses, unless what stands around takes a whole expression anyway. */
function fitted({ text, operator }: NonNullable<Found['product']>, node: AnySyntax, fn: Fn): string {
  const around = fn.parent(node);
  const { text: source } = fn.file;
  const { start, end } = fn.span(node);
  // A shift binds less tightly than a sum or a comparison.
  const takesAll =
    around === undefined ||
    around.kind === 'var' ||
    around.kind === 'return' ||
    around.kind === 'expr' ||
    around.kind === 'conditional' ||
    (/\(\s*$/.test(source.slice(0, start).slice(-40)) && /^\s*\)/.test(source.slice(end, end + 40))) ||
    (around.kind === 'assign' && around.value === node) ||
    (around.kind === 'call' && around.callee !== node) ||
    (around.kind === 'binary' && around.left === node && /^[*/]$/.test(around.op)) ||
    (around.kind === 'binary' && /^(?:[-+<>]|[<>=!]=|&&|\|\|)$/.test(around.op));
  return operator && !takesAll ? `(${text})` : text;
}
