// The same matrix times another vector in each block: products of a row by the block's vector that its threads add up,
// row by row. All blocks together are one matrix product.
import type { AssignExpr, Expr, ForStmt, VarDecl } from '../../../syntax/ast';
import { atomsOf, type Fn, atomName, isWork, type Local, isConditionLoop, some } from '../../language';
import { tripsOf } from '../../flow';
import type { ProductFact } from '../model';
import { blockGemmOf } from './blockGemms';
import { elementTypeOf, factorOf } from './factors';
import { callsOf } from './productCalls';
import { counterOf, fewTerms, nameSpan } from './products';

const isBlock = (key: string): boolean => key.startsWith('blockIdx.');

/** The products that the blocks of a kernel compute, each for a separate vector. */
export function* findBlockProducts(fn: Fn): Iterable<ProductFact> {
  const { decl, locals } = fn;
  if (!decl.body || !isWork(fn)) return;
  for (const node of locals.nodes) {
    if (node.kind !== 'binary' || node.op !== '*') continue;
    const loop = [...fn.around(node)].find(isConditionLoop);
    const counter = loop?.kind === 'for' ? counterOf(loop, fn) : undefined;
    if (loop?.kind !== 'for' || !counter) continue;
    const rows = tripsOf(loop, fn);
    if (rows !== undefined && rows < fewTerms) continue;
    const sides = [node.left, node.right];
    const matrix = sides.find((side) => isRowOf(side, counter, fn));
    const vector = sides.find((side) => side !== matrix && isOfBlock(side, counter, fn));
    const holder = holderOf(node, fn);
    const holders = holder && holdersFrom(holder, loop, fn);
    if (!matrix || !vector || !holders || !isAddedUp(holders, loop, fn)) continue;
    const store = storeOf(holders, counter, loop, fn);
    const [left, right] = [factorOf(matrix, locals)!, factorOf(vector, locals)!];
    const type = elementTypeOf(left.root, fn);
    if (!store || !type) continue;
    const parts = { product: node, matrix: left, vector: right, store, loop, counter, type };
    const called = callsOf(blockGemmOf(parts, fn), fn);
    yield {
      kind: 'product',
      at: fn.span(node),
      kernels: fn.kernels,
      form: 'blocks',
      left: left.root.name,
      right: right.root.name,
      type,
      ...(typeof called === 'string' ? { why: called } : { called }),
      related: [
        { at: nameSpan(decl), text: 'the kernel' },
        { at: fn.span(store), text: 'an element of the product' },
      ],
    };
  }
}

/** `matrix[row * length + threadIdx.x]`: a row for each iteration, the same in all blocks. */
function isRowOf(side: Expr, counter: Local, fn: Fn): boolean {
  const factor = factorOf(side, fn.locals);
  if (!factor?.root.parameter || factor.indices.length !== 1) return false;
  const place = fn.index(factor.indices[0]!);
  if (!place || place.has(isBlock)) return false;
  const pitch = place.split(atomName(counter, fn.locals))?.factor;
  const pitchIs = pitch?.number;
  return place.terms.get('threadIdx.x') === 1 && !!pitch && pitch.terms.size > 0 && (pitchIs ?? fewTerms) >= 32;
}

/** `vector[threadIdx.x]`, in shared memory or at the block's own place, and the same for all rows. */
function isOfBlock(side: Expr, counter: Local, fn: Fn): boolean {
  const factor = factorOf(side, fn.locals);
  if (factor?.indices.length !== 1) return false;
  const place = fn.index(factor.indices[0]!);
  if (place?.terms.get('threadIdx.x') !== 1) return false;
  if (place.has((key) => key === atomName(counter, fn.locals))) return false;
  return factor.root.variable?.space === 'shared' || (!!factor.root.parameter && place.has(isBlock));
}

/** The variable, or array in shared memory, that takes the product. */
function holderOf(product: Expr, fn: Fn): Local | undefined {
  const parent = fn.parent(product);
  if (parent?.kind !== 'var' && !(parent?.kind === 'assign' && /^\+?=$/.test(parent.op))) return undefined;
  const taker = takerOf(parent, fn);
  const isScalar = parent.kind === 'var' || parent.target.kind === 'name';
  return isScalar || taker?.variable?.space === 'shared' ? taker : undefined;
}

/** The holder, and what of the kernel's own takes its values on in the loop: `total = products[t]`. */
function holdersFrom(holder: Local, loop: ForStmt, fn: Fn): ReadonlySet<Local> {
  const holders = new Set([holder]);
  for (let size = 0; size < holders.size; ) {
    size = holders.size;
    for (const node of fn.locals.nodes) {
      const to = node.kind === 'var' || (node.kind === 'assign' && node.op === '=') ? takerOf(node, fn) : undefined;
      const value = node.kind === 'var' ? node.init : node.kind === 'assign' ? node.value : undefined;
      if (to && !to.parameter && value && fn.isInside(node, loop) && isOf(value, holders, fn)) holders.add(to);
    }
  }
  return holders;
}

function takerOf(node: VarDecl | AssignExpr, fn: Fn): Local | undefined {
  if (node.kind === 'var') return fn.locals.all.find(({ variable }) => variable === node);
  return node.target.kind === 'name' ? fn.local(node.target) : factorOf(node.target, fn.locals)?.root;
}

/** Do the threads add up what these hold, through shared memory or by shuffles? */
function isAddedUp(holders: ReadonlySet<Local>, loop: ForStmt, fn: Fn): boolean {
  return fn.locals.nodes.some((node) => {
    if (node.kind !== 'assign' || node.op !== '+=' || !fn.isInside(node, loop)) return false;
    if (!isOf(node.target, holders, fn)) return false;
    return some(
      node.value,
      (inner) =>
        (inner.kind === 'call' && inner.callee.kind === 'name' && /^__shfl/.test(inner.callee.name)) ||
        (inner.kind === 'index' && isOf(inner, holders, fn)),
    );
  });
}

/** `out[block * length + row] = sum`, in the loop over the rows. */
function storeOf(holders: ReadonlySet<Local>, counter: Local, loop: ForStmt, fn: Fn): AssignExpr | undefined {
  return fn.locals.nodes.find((node): node is AssignExpr => {
    if (node.kind !== 'assign' || node.op !== '=' || !fn.isInside(node, loop)) return false;
    const target = factorOf(node.target, fn.locals);
    if (!target?.root.parameter || target.indices.length !== 1 || !isOf(node.value, holders, fn)) return false;
    const place = fn.index(target.indices[0]!);
    if (!place?.has(isBlock)) return false;
    const terms = [...place.terms.keys()].flatMap(atomsOf);
    return place.split(atomName(counter, fn.locals))?.factor?.number === 1 && !terms.includes('threadIdx.x');
  });
}

/** Is the expression one of the variables, or an element of one of the arrays, in one arm of a condition at least? */
function isOf(expr: Expr, holders: ReadonlySet<Local>, fn: Fn): boolean {
  if (expr.kind === 'conditional') return [expr.then, expr.else].some((arm) => arm && isOf(arm, holders, fn));
  const local =
    expr.kind === 'name' ? fn.local(expr) : expr.kind === 'index' ? factorOf(expr, fn.locals)?.root : undefined;
  return local !== undefined && holders.has(local);
}
