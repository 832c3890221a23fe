// Branches on a thread's parity that whole warps can take, and branches whose arms assign one variable.
import type { AssignExpr, Expr, IfStmt, Stmt } from '../../syntax/ast';
import type { RewriteFact } from '../model';
import { walk, type Fn, calleeName, sameExpr, statementsOf, fixedPolynomial, knowsLanes } from '../language';
import { freshNamesOf } from './writing/edits';
import type { Family } from './writing/family';

/** Whether both arms are one assignment each, to the same place. */
export function assignsOne(branch: IfStmt): boolean {
  const [yes, no] = [assignmentOf(branch.then), branch.else && assignmentOf(branch.else)];
  return !!yes && !!no && sameExpr(yes.target, no.target);
}

function assignmentOf(stmt: Stmt): AssignExpr | undefined {
  const [only, more] = statementsOf(stmt);
  return only?.kind === 'expr' && !more && only.expr.kind === 'assign' ? only.expr : undefined;
}

const gridThread = fixedPolynomial('blockIdx.x')
  .times(fixedPolynomial('blockDim.x'))
  .plus(fixedPolynomial('threadIdx.x'));
export const warpSplit: Family<'warp-split', 'branch'> = {
  id: 'warp-split',
  on: 'branch',
  when: ({ fact }) => !!fact.lanePattern,
  find: ({ fn, branch }) => warpSplitOf(fn, branch),
};

/**
 * `if (threadIdx.x % 2 == 0) … else …` with work in its arms: the threads of each pair of warps exchange their numbers
 * so that one warp has the even ones and the other the odd ones. Every thread number is still used once in its block,
 * so the kernel computes what it did; but neighbouring lanes then touch every second element, which costs sectors.
 * Offered for one-dimensional blocks of a multiple of 64 threads; a run of both texts tells whether lanes matter.
 */
export function warpSplitOf(fn: Fn, branch: IfStmt): RewriteFact | undefined {
  const { decl, locals } = fn;
  if (!decl.global || !decl.body || branch.init || branch.constexpr || !fn.blockShapes.length) return undefined;
  if (!fn.blockShapes.every(([x, y, z]) => x % 64 === 0 && y === 1 && z === 1)) return undefined;
  if (!isParity(branch.cond, fn) || !(isHeavy(branch.then) && (!branch.else || isHeavy(branch.else)))) return undefined;
  const edits: { start: number; end: number }[] = [];
  for (const node of locals.nodes) {
    if (node.kind === 'var' && (node.volatile || (node.type.kind === 'named' && node.type.volatile))) return undefined;
    // Threads that meet in warps are others afterwards, which blocks that run one after the other do not show.
    if (node.kind === 'call' && knowsLanes(calleeName(node) ?? '')) return undefined;
    if (node.kind !== 'name') continue;
    if (node.name !== 'threadIdx' || locals.of(node)) continue;
    const parent = locals.parent(node);
    if (parent?.kind !== 'member') return undefined;
    if (parent.field === 'y' || parent.field === 'z') continue; // 0 in a block of one dimension
    if (parent.macro || node.macro) return undefined;
    edits.push({ start: parent.start, end: parent.end });
  }
  const name = freshNamesOf(fn)('splitThread');
  const text = fn.file.text;
  const open = decl.base + decl.body.start;
  if (text[open] !== '{' || !edits.length) return undefined;
  const indent = fn.indent(decl.start) + fn.indentStep;
  const declaration =
    `${fn.newline}${indent}const unsigned int ${name} = (threadIdx.x & ~63u) | ((threadIdx.x & 31u) << 1) | ` +
    '((threadIdx.x >> 5) & 1u);';
  return {
    title: 'Split even and odd threads by warps (lanes then access stride 2)',
    edits: [
      { at: { uri: fn.file.uri, start: open + 1, end: open + 1 }, newText: declaration },
      ...edits.map((edit) => ({ at: fn.span(edit), newText: name })),
    ],
  };
}

/**
 * `t % 2`, `t & 1`, compared with 0 or 1 or not at all, for a thread number `t` whose parity is that of `threadIdx.x`
 * in blocks of an even size.
 */
function isParity(cond: Expr, fn: Fn): boolean {
  let at = cond;
  if (at.kind === 'unary' && at.op === '!') at = at.operand;
  if (at.kind === 'binary' && (at.op === '==' || at.op === '!=')) {
    const [left, right] = [fn.index(at.left), fn.index(at.right)];
    const number = right?.number;
    if (number !== 0 && number !== 1) return false;
    if (!left) return false;
    at = at.left;
  }
  if (at.kind === 'name') {
    const definition = fn.local(at)?.variable?.init;
    if (!definition || fn.local(at)!.writes.length) return false;
    at = definition;
  }
  if (at.kind !== 'binary' || !(at.op === '%' || at.op === '&')) return false;
  const value = fn.index(at.left);
  const modulus = fn.index(at.right);
  if (!value || !modulus || modulus.number !== (at.op === '%' ? 2 : 1)) return false;
  return value.equals(fixedPolynomial('threadIdx.x')) || value.equals(gridThread);
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
