// Blocks that a kernel is likely launched with where no launch is known: by the axes that it asks for, and by the
// shared arrays that its threads would leave in a larger one.
import type { Expr, TypeSyntax } from '../../syntax/ast';
import { type Program, calleeName, walk } from '../language';
import type { Text } from '../races';

type Block = readonly [number, number, number];
/** What an expression is, where it is a constant. */
type Constant = (expr: Expr) => number | undefined;

export function guessedBlock(texts: readonly Text[], program: Program, threads: number, constant: Constant): Block {
  const axes = usedAxes(texts, program);
  const most = mostThreads(texts, constant);
  if (axes.z) return fitted([8, 8, 4], most);
  if (!axes.y) return fitted([threads, 1, 1], most);
  const [x, y] = fitted(threads >= 64 && threads % 32 === 0 ? [32, Math.min(32, threads / 32), 1] : [16, 16, 1], most);
  // Rows that are shorter leave room for more of them.
  return x < 32 ? fitted([x, Math.max(y, Math.floor(threads / x)), 1], most) : [x, y, 1];
}

/** Other blocks that the kernel might as well be launched with. */
export function otherBlocks(
  texts: readonly Text[],
  program: Program,
  [x, y, z]: Block,
  constant: Constant,
): readonly Block[] {
  const axes = usedAxes(texts, program);
  const most = mostThreads(texts, constant);
  const usual: readonly Block[] = axes.z
    ? [[32, 4, 2]]
    : !axes.y && y === 1 && z === 1
      ? [[x === 128 ? 256 : 128, 1, 1]]
      : [
          [32, 8, 1],
          [16, 16, 1],
          [8, 32, 1],
        ];
  // An array is full in the largest block, which it need not be.
  const smaller: readonly Block[] = x > 1 && 2 * x > most[0] ? [[x / 2, y, z]] : [];
  const blocks = [...usual.map((block) => fitted(block, most)), ...smaller];
  return blocks.filter((block, at) => block[0] !== x && blocks.findIndex((each) => each[0] === block[0]) === at);
}

function fitted(block: Block, most: Block): Block {
  const [x, y, z] = block.map((extent, axis) =>
    extent <= most[axis]! ? extent : 2 ** Math.floor(Math.log2(most[axis]!)),
  );
  return [x!, y!, z!];
}

/** Threads along each axis beyond which one that no condition holds back would leave a shared array. */
function mostThreads(texts: readonly Text[], constant: Constant): Block {
  const most: [number, number, number] = [1024, 1024, 64];
  for (const { body } of texts) {
    const arrays = new Map<string, TypeSyntax>();
    const places = new Map<string, number>();
    const axisOf = (expr: Expr): number =>
      expr.kind === 'name'
        ? (places.get(expr.name) ?? -1)
        : expr.kind === 'member' && expr.object.kind === 'name' && expr.object.name === 'threadIdx'
          ? ['x', 'y', 'z'].indexOf(expr.field)
          : -1;
    walk(body, (node) => {
      if (node.kind === 'if' || node.kind === 'conditional' || node.kind === 'while' || node.kind === 'for')
        return false;
      if (node.kind === 'decl')
        for (const { name, space, type, init } of node.vars)
          if (space === 'shared') arrays.set(name, type);
          else if (init && axisOf(init) >= 0) places.set(name, axisOf(init));
      if (node.kind !== 'index') return true;
      const extent = extentOf(node.base, arrays);
      const length = extent && constant(extent);
      const [place, past] = withOffset(node.index, constant);
      const axis = axisOf(place);
      if (length !== undefined && axis >= 0 && past >= 0 && past < length)
        most[axis] = Math.min(most[axis]!, length - past);
      return true;
    });
  }
  return most;
}

/** Of the dimension that an index of `base` goes along, where that is a shared array or a row of one. */
function extentOf(base: Expr, arrays: ReadonlyMap<string, TypeSyntax>): Expr | undefined {
  let depth = 0;
  for (; base.kind === 'index'; base = base.base) depth++;
  let type = base.kind === 'name' ? arrays.get(base.name) : undefined;
  for (; depth > 0; depth--) type = type?.kind === 'array' ? type.of : undefined;
  return type?.kind === 'array' ? type.size : undefined;
}

function withOffset(expr: Expr, constant: Constant): readonly [Expr, number] {
  if (expr.kind !== 'binary' || expr.op !== '+') return [expr, 0];
  const [left, right] = [constant(expr.left), constant(expr.right)];
  return right !== undefined ? [expr.left, right] : left !== undefined ? [expr.right, left] : [expr, 0];
}

/** Functions that are looked into for what they ask of the thread's place. */
const mostCallees = 32;

/** The axes of the thread's place beside x that the kernel, or a function that it calls, asks for. */
function usedAxes(texts: readonly Text[], program: Program): { y: boolean; z: boolean } {
  const axes = { y: false, z: false };
  const seen = new Set(texts);
  for (const fn of seen) {
    walk(fn.body, (node) => {
      if (node.kind === 'call') {
        const name = calleeName(node);
        const callees = name === undefined ? [] : program.functions(name);
        for (const callee of callees) if (callee.body && callee.device && seen.size < mostCallees) seen.add(callee);
      }
      if (node.kind !== 'member' || node.object.kind !== 'name' || node.object.name !== 'threadIdx') return;
      if (node.field === 'y') axes.y = true;
      if (node.field === 'z') axes.z = true;
    });
  }
  return axes;
}
