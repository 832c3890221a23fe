// Branches that an expression can replace, and branches on a thread's parity that whole warps can take.
import { titleWith } from '../excerpt';
import type { AssignExpr, Expr, IfStmt, NameExpr, Stmt } from '../../syntax/ast';
import type { BranchFact } from '../model';
import { walk } from '../language/statements';
import type { ScalarType } from '../language/types';
import { newlineOf, spanOf, textOf, type FunctionContext, unitOf, indentAt } from '../language/functionContext';
import { arithmetic, typingOf } from '../language/typing';
import { calleeName, localsOf, sameExpr, statementsOf, type Locals } from '../language/scope';
import { add, equal, multiply, numberOf } from '../language/algebra';
import { fixedPolynomial, polynomialOf } from '../language/indexPolynomials';
import { hasComment, parenthesised } from './edits';
import { hasMacro, isPure, isPureCall } from '../program';
import { knowsLanes } from '../language/threadNames';

/**
 * The conditional expression that says what the branch says: both arms assign one variable, or one arm changes it and
 * there is no other. Undefined where an arm does more, where the types of the arms would meet in another type, or where
 * a comment or macro stands inside.
 */
export function selectRewriteOf(context: FunctionContext, branch: IfStmt): BranchFact['select'] {
  if (branch.init || branch.constexpr || hasComment(context, branch) || hasMacro(branch)) return undefined;
  const locals = localsOf(context.fn);
  const yes = assignmentOf(branch.then);
  const no = branch.else && assignmentOf(branch.else);
  if (!yes || (branch.else && !no)) return undefined;
  const values = no ? [yes.value, no.value] : [yes.value];
  if (![branch.cond, ...values].every((expr) => isPure(expr, context))) return undefined;
  if (values.some((value) => weight(value) > 12)) return undefined;
  const target = yes.target;
  if (no && !sameExpr(target, no.target)) return undefined;
  if (target.kind !== 'name' && !(no && isPure(target, context))) return undefined;
  if (target.kind === 'name' && (!locals.of(target) || isVolatile(target, locals))) return undefined;
  // The arm that changes nothing would read a variable that nothing has set.
  if (!no && target.kind === 'name') {
    const local = locals.of(target)!;
    if (
      local.variable &&
      !local.variable.init &&
      !local.writes.some((write) => locals.order(write.node) < locals.order(branch))
    )
      return undefined;
  }
  const scalarOf = (expr: Expr): ScalarType | undefined => {
    const type = typingOf(context).typeOf(expr);
    return type?.kind === 'scalar' ? type : undefined;
  };
  const own = scalarOf(target);
  const yesType = scalarOf(yes.value);
  const noType = no && scalarOf(no.value);
  if (!own || !yesType || (no && !noType)) return undefined;

  const name = textOf(context, target).trim();
  const cond =
    branch.cond.kind === 'name' || branch.cond.kind === 'call'
      ? textOf(context, branch.cond).trim()
      : `(${textOf(context, branch.cond).trim()})`;
  let text: string | undefined;
  if (no && yes.op === no.op) {
    const [one, other] = [arithmetic(own, yesType), arithmetic(own, noType)];
    const mixed = yes.op === '=' || (!!one && !!other && sameKind(one, other));
    if (sameKind(yesType, noType!) || (mixed && (harmless(yes.value) || harmless(no.value))))
      text = `${name} ${yes.op} ${cond} ? ${operand(context, yes.value)} : ${operand(context, no.value)};`;
  } else if (no) {
    const left = armValue(context, name, yes, own, yesType);
    const right = armValue(context, name, no, own, noType!);
    if (left && right && sameKind(left.type, right.type)) text = `${name} = ${cond} ? ${left.text} : ${right.text};`;
  } else {
    const arm = armValue(context, name, yes, own, yesType);
    // The arm that changes nothing goes through the common type of both: it must come back as it was.
    if (
      arm &&
      (sameKind(arm.type, own) ||
        harmless(yes.value) ||
        (own.float && arm.type.float && arm.type.size >= own.size) ||
        (!own.float && !arm.type.float && own.size <= arm.type.size))
    )
      text = `${name} = ${cond} ? ${arm.text} : ${name};`;
  }
  if (!text || text.length > 160 || text.includes('\n')) return undefined;
  return {
    edits: [{ at: spanOf(context, branch), newText: text }],
    title: titleWith(text, (code) => `Use a conditional expression: \`${code}\``),
  };
}

function assignmentOf(stmt: Stmt): AssignExpr | undefined {
  const [only, more] = statementsOf(stmt);
  return only?.kind === 'expr' && !more && !only.pragmas?.length && only.expr.kind === 'assign' ? only.expr : undefined;
}
function armValue(
  context: FunctionContext,
  name: string,
  arm: AssignExpr,
  own: ScalarType,
  value: ScalarType,
): { text: string; type: ScalarType } | undefined {
  if (arm.op === '=') return { text: operand(context, arm.value), type: value };
  const op = arm.op.slice(0, -1);
  if (op === '<<' || op === '>>') return undefined; // their type is that of the left side
  const type = arithmetic(own, value);
  return type && { text: `${name} ${op} ${parenthesised(context, arm.value)}`, type };
}
function operand(context: FunctionContext, expr: Expr): string {
  const text = textOf(context, expr).trim();
  return expr.kind === 'conditional' || expr.kind === 'assign' || (expr.kind === 'binary' && expr.op === ',')
    ? `(${text})`
    : text;
}
function weight(expr: Expr): number {
  let count = 0;
  walk(expr, (node) => {
    if (
      node.kind === 'binary' ||
      node.kind === 'call' ||
      node.kind === 'index' ||
      node.kind === 'conditional' ||
      node.kind === 'unary'
    )
      count += node.kind === 'call' ? 4 : 1;
  });
  return count;
}
function isVolatile(name: NameExpr, locals: Locals): boolean {
  const variable = locals.of(name)?.variable;
  return !!variable && (!!variable.volatile || (variable.type.kind === 'named' && !!variable.type.volatile));
}

/** A small whole number is the same value in every arithmetic type. */
function harmless(expr: Expr): boolean {
  return expr.kind === 'number' && expr.type === 'int' && Math.abs(expr.value) < 128;
}
function sameKind(left: ScalarType, right: ScalarType): boolean {
  return left.size === right.size && left.float === right.float && left.signed === right.signed;
}

// ---- parity
// ----------------------------------------------------------------------------------------------------------------

const gridThread = add(
  multiply(fixedPolynomial('blockIdx.x'), fixedPolynomial('blockDim.x')),
  fixedPolynomial('threadIdx.x'),
);
const knowsThreads = (name: string): boolean => knowsLanes(name) || /^(this_cluster|clock|clock64)$/.test(name);

/**
 * `if (threadIdx.x % 2 == 0) … else …` with work in its arms: the threads of each pair of warps exchange their numbers
 * so that one warp has the even ones and the other the odd ones. Every thread number is still used once in its block,
 * so the kernel computes what it did; but neighbouring lanes then touch every second element, which costs sectors.
 * Offered for one-dimensional blocks of a multiple of 64 threads, in kernels that know nothing of lanes.
 */
export function warpSplitOf(context: FunctionContext, branch: IfStmt): BranchFact['warpSplit'] {
  const { fn } = context;
  if (!fn.global || !fn.body || branch.init || branch.constexpr || !context.blockShapes.length) return undefined;
  if (!context.blockShapes.every(([x, y, z]) => x % 64 === 0 && y === 1 && z === 1)) return undefined;
  const locals = localsOf(fn);
  if (!isParity(branch.cond, context, locals) || !(isHeavy(branch.then) && (!branch.else || isHeavy(branch.else))))
    return undefined;
  const edits: { start: number; end: number }[] = [];
  for (const node of locals.nodes) {
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda' || node.kind === 'goto')
      return undefined;
    if (node.kind === 'var' && (node.volatile || (node.type.kind === 'named' && node.type.volatile))) return undefined;
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (!name || knowsThreads(name)) return undefined;
      if (!/^__syncthreads$|^__threadfence|^atomic/.test(name) && !isPureCall(node, context)) return undefined;
    }
    if (node.kind !== 'name') continue;
    if (node.name === 'warpSize' || knowsThreads(node.name)) return undefined;
    if (node.name !== 'threadIdx' || locals.of(node)) continue;
    const parent = locals.parent(node);
    if (parent?.kind !== 'member') return undefined;
    if (parent.field === 'y' || parent.field === 'z') continue; // 0 in a block of one dimension
    if (parent.macro || node.macro) return undefined;
    edits.push({ start: parent.start, end: parent.end });
  }
  // Arithmetic in warps (`t / 32`, `t & 31`) means lanes, which would be others.
  for (const node of locals.nodes) {
    if (node.kind === 'binary' && /^[/%&]$|^>>$/.test(node.op)) {
      const value = context.types.constant(node.right);
      if (value !== undefined && [5, 31, 32].includes(value) && (node.op === '>>') === (value === 5)) return undefined;
    }
  }
  const name = uniqueName(context, 'splitThread');
  const text = context.file.text;
  const open = fn.base + fn.body.start;
  if (text[open] !== '{' || !edits.length) return undefined;
  const indent = indentAt(context, fn.start) + unitOf(context);
  const line = newlineOf(context);
  const declaration =
    `${line}${indent}const unsigned int ${name} = (threadIdx.x & ~63u) | ((threadIdx.x & 31u) << 1) | ` +
    '((threadIdx.x >> 5) & 1u);';
  return {
    title: 'Split even and odd threads by warps (lanes then access stride 2)',
    edits: [
      { at: { uri: context.file.uri, start: open + 1, end: open + 1 }, newText: declaration },
      ...edits.map((edit) => ({ at: spanOf(context, edit), newText: name })),
    ],
  };
}

/**
 * `t % 2`, `t & 1`, compared with 0 or 1 or not at all, for a thread number `t` whose parity is that of `threadIdx.x`
 * in blocks of an even size.
 */
function isParity(cond: Expr, context: FunctionContext, locals: Locals): boolean {
  let at = cond;
  if (at.kind === 'unary' && at.op === '!') at = at.operand;
  if (at.kind === 'binary' && (at.op === '==' || at.op === '!=')) {
    const [left, right] = [polynomialOf(at.left, context, locals), polynomialOf(at.right, context, locals)];
    const number = right && numberOf(right);
    if (number !== 0 && number !== 1) return false;
    if (!left) return false;
    at = at.left;
  }
  if (at.kind === 'name') {
    const definition = locals.of(at)?.variable?.init;
    if (!definition || locals.of(at)!.writes.length) return false;
    at = definition;
  }
  if (at.kind !== 'binary' || !(at.op === '%' || at.op === '&')) return false;
  const value = polynomialOf(at.left, context, locals);
  const modulus = polynomialOf(at.right, context, locals);
  if (!value || !modulus || numberOf(modulus) !== (at.op === '%' ? 2 : 1)) return false;
  return equal(value, fixedPolynomial('threadIdx.x')) || equal(value, gridThread);
}
/** A loop or several calls: what outweighs the sectors that the exchange costs. */
function isHeavy(arm: Stmt): boolean {
  let loops = 0;
  let calls = 0;
  walk(arm, (node) => {
    if (node.kind === 'for' || node.kind === 'while' || node.kind === 'do') loops++;
    if (node.kind === 'call') calls++;
  });
  return loops > 0 || calls > 3;
}
function uniqueName(context: FunctionContext, wanted: string): string {
  const text = textOf(context, context.fn);
  let name = wanted;
  for (let at = 2; new RegExp(`\\b${name}\\b`).test(text); at++) name = `${wanted}${at}`;
  return name;
}
