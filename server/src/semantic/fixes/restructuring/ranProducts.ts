// Products that a kernel computes in any form: it is run on matrices, and what it writes is compared.
import type { Stmt } from '../../../syntax/ast';
import { createMemory, type Memory } from '../../contents';
import {
  type AnySyntax,
  type BlockShape,
  calleeName,
  type Fn,
  isConditionLoop,
  sizeOf,
  type Type,
} from '../../language';
import { tripsOf } from '../../flow';
import type { Gpu, ProductFact } from '../../model';
import { untaken } from '../../steps';
import { createCompiler, run } from '../../run';
import { nameSpan } from './products';

/** Rows and columns of all matrices: multiples of the usual tiles. */
const orders = [64, 128];
const usualTile = 16;
const mostLaunches = 4;
const mostSteps = 2_000_000;
const comparedCells = 200;

/** The product that one block of a kernel computes, where all extents are the same. */
export function* findRanProducts(fn: Fn): Iterable<ProductFact> {
  const at = fn.decl.global ? sumIn(fn) : undefined;
  if (!at) return;
  for (const [launch, order] of launchesOf(fn).flatMap((each) => orders.map((one) => [each, one] as const))) {
    const ran = untaken(mostSteps, () => matricesOf(fn, launch, order));
    if (!ran) continue;
    const [left, right, type, elements] = ran;
    const { block } = launch;
    const isTiled = fn.locals.nodes.some((node) => node.kind === 'var' && node.space === 'shared');
    yield {
      kind: 'product',
      at: fn.span(at),
      kernels: fn.kernels,
      form: !isTiled ? 'element' : elements > block[0] * block[1] * block[2] ? 'registers' : 'tiled',
      ...{ left, right, type },
      why: 'the product is known by its results alone',
      related: [{ at: nameSpan(fn.decl), text: 'the kernel' }],
    };
    return;
  }
}

/** The innermost sum of a loop of unknown length in a kernel of three arrays that does no other arithmetic. */
function sumIn(fn: Fn): Stmt | undefined {
  const { locals, typing, types } = fn;
  const arrays = fn.decl.params.filter(({ type }) => {
    const resolved = types.resolve(type);
    return resolved.kind === 'pointer' && isReal(resolved.to);
  });
  if (arrays.length !== 3) return undefined;
  const isFused = (name: string | undefined): boolean => /^(__)?fmaf?(_rn)?$/.test(name ?? '');
  const isOther = (node: AnySyntax): boolean =>
    node.kind === 'call'
      ? !isFused(calleeName(node)) && !/^(__sync(threads|warp)|__ldg|min|max)$/.test(calleeName(node) ?? '')
      : node.kind === 'binary' && node.op === '/' && isReal(typing.typeOf(node));
  if (locals.nodes.some(isOther)) return undefined;
  let [sum, deepest]: [Stmt | undefined, number] = [undefined, 0];
  for (const statement of locals.nodes) {
    const node = statement.kind === 'expr' ? statement.expr : undefined;
    if (statement.kind !== 'expr' || node?.kind !== 'assign' || !isReal(typing.typeOf(node.target))) continue;
    const { op, value } = node;
    const adds =
      op === '+=' ||
      (value.kind === 'binary' && value.op === '+') ||
      (value.kind === 'call' && isFused(calleeName(value)));
    const loops = [...fn.around(node)].filter(isConditionLoop);
    if (!adds || loops.length <= deepest || loops.every((loop) => tripsOf(loop, fn) !== undefined)) continue;
    [sum, deepest] = [statement, loops.length];
  }
  return sum;
}

interface Launch {
  readonly block: BlockShape;
  readonly values: ReadonlyMap<string, number>;
  readonly types?: ReadonlyMap<string, string> | undefined;
}

/** Where none is known, a thread for each element of a tile, whose rows are as long as the text has them. */
function launchesOf({ blockShapes, launchValues, launchTypes, locals, types, decl }: Fn): readonly Launch[] {
  if (blockShapes.length > 0)
    return blockShapes.slice(0, mostLaunches).map((block, at) => {
      return { block, values: launchValues?.[at] ?? new Map(), types: launchTypes?.[at] };
    });
  const rows = locals.all.flatMap(({ variable }) => {
    const type = variable?.space === 'shared' ? variable.type : undefined;
    return (type?.kind === 'array' && type.size && types.constant(type.size)) || [];
  });
  const tile = rows[0] ?? usualTile;
  return [{ block: [tile, tile, 1], values: new Map((decl.templateParams ?? []).map(({ name }) => [name, tile])) }];
}

const isReal = (type: Type | undefined): boolean => type?.kind === 'scalar' && type.float && type.size >= 4;

/** The two matrices that the first block multiplies, the next one where that has only a row; undefined of others. */
function matricesOf(fn: Fn, { block, types: names, values }: Launch, order: number) {
  const { program, types, decl } = fn;
  const memory = createMemory({ seed: 1, isWhole: true, isReversed: false, integer: () => order });
  const ones = decl.params.flatMap(({ name, type }) => (isReal(types.resolve(type)) ? [[name, 1] as const] : []));
  const bound = [...(names ?? [])].map(([name, of]) => [name, types.resolve({ kind: 'named', name: of })] as const);
  const bindings = { types: new Map(bound), values };
  const text = { program, types, gpu: {} as Gpu, compiler: createCompiler(program, types), fn: decl, bindings, block };
  for (const x of [0, 1]) {
    const contents = memory.ofBlock([x, 0, 0], new Map(ones));
    const setup = { ...text, grid: [order, order, 1] as const, contents, args: [], host: false, budget: Infinity };
    if (!run(setup).complete || memory.unset > 0) return undefined;
    const found = productIn(memory, order);
    if (found !== 'row') return found;
  }
  return undefined;
}

/** What was multiplied where all that was written is a product; `row` where that is only a row or a column. */
function productIn(
  memory: Memory,
  order: number,
): readonly [string, string, ProductFact['type'], number] | 'row' | undefined {
  const [target, ...others] = [...memory.written].filter(([, { size }]) => size > 0);
  const names = [...memory.reached.keys()].filter((name) => name !== target?.[0]);
  if (!target || others.length > 0 || names.length !== 2) return undefined;
  const [name, cells] = target;
  const [type] = [...cells.values()].map((cell) => cell.type);
  const size = type && sizeOf(type);
  if (!type || !size || !isReal(type)) return undefined;
  const places = [...cells.keys()].map(
    (offset) => [Math.trunc(offset / size / order), (offset / size) % order] as const,
  );
  const [rows, columns] = [0, 1].map((at) => new Set(places.map((place) => place[at]!)).size);
  if (Math.max(...places.map(([row]) => row)) >= order || rows! * columns! !== cells.size) return undefined;
  if (rows === 1 || columns === 1) return 'row';
  const matrices = names.map((each) =>
    Array.from({ length: order * order }, (_, at) => memory.initial(each, at * size, type)),
  );
  const every = Math.ceil(places.length / comparedCells);
  const compared = places.filter((_, at) => at % every === 0);
  for (const [left, right] of [[0, 1] as const, [1, 0] as const])
    for (const [along, down] of [[1, order] as const, [order, 1] as const])
      for (const [across, under] of [[order, 1] as const, [1, order] as const]) {
        const isProduct = ([row, column]: readonly [number, number]): boolean => {
          let sum = 0;
          for (let term = 0; term < order; term++)
            sum += matrices[left]![row * down + term * along]! * matrices[right]![term * across + column * under]!;
          const offset = (row * order + column) * size;
          const { value } = cells.get(offset)!;
          return value === sum || value === sum + memory.initial(name, offset, type);
        };
        if (compared.every(isProduct))
          return [names[left]!, names[right]!, type.size === 8 ? 'double' : 'float', cells.size];
      }
  return undefined;
}
