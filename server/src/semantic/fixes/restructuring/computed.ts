// Whether a kernel computes the product that it is matched as: it is run on data, and its result compared.
import type { Expr, ForStmt, FunctionDecl, NameExpr, Node } from '../../../syntax/ast';
import { hashText } from '../../../syntax/macros';
import { createMemory, type Memory } from '../../contents';
import { atomsOf, type Fn, type Index, type Local, noBindings, sizeOf, type Type } from '../../language';
import type { Gpu } from '../../model';
import { untaken } from '../../steps';
import { createCompiler, run } from '../../run';
import type { Gemm, Matrix } from './factors';

/** How often the loop is run that adds up, or that goes over the rows. */
export const few = 3;
/** How the kernel is run. */
export interface Runs {
  readonly decl: FunctionDecl;
  /** The loop that is run `few` times in place of what it says. */
  readonly loop: ForStmt;
  readonly block: readonly [number, number, number];
  /** Rows and columns of the result, by columns: how many of them each block along an axis of the grid has. */
  readonly parts: readonly { readonly axis?: 'x' | 'y'; readonly width: number }[];
  /** Do blocks beyond the result leave it alone? */
  readonly isGuarded: boolean;
  /** An array that each block makes: it is taken as if it were in memory. */
  readonly vector?: Local;
}
type Product = Omit<Gemm, 'alpha' | 'beta'>;
/** What the product adds to an element of the result, what that was, and what it is after the kernel. */
interface Element {
  readonly sum: number;
  readonly largest: number;
  readonly old: number;
  readonly value: number;
  readonly memory: Memory;
}

const sizes = [5, 1, 9, 2, 17, 0, 12];
const mostInputs = 24;
const enoughInputs = 5;
const blocks = 2;
const mostSteps = 2_000_000;

/** The scalars by which the kernel scales the product and the old result; undefined where it does anything else. */
export function scalesOf(
  product: Product,
  candidates: readonly Expr[],
  runs: Runs,
  fn: Fn,
): Pick<Gemm, 'alpha' | 'beta'> | undefined {
  const elements = untaken(mostSteps, () => elementsOf(product, runs, fn));
  if (!elements) return undefined;
  const type = elementOf(product.result, fn);
  const numberOf = (scalar: Expr, memory: Memory): number =>
    scalar.kind === 'number' ? scalar.value : memory.initial((scalar as NameExpr).name, 0, type) || 1;
  for (const alpha of candidates.filter(({ value }: { value?: unknown } & Expr) => value !== 0))
    for (const beta of candidates) {
      const isComputed = ({ sum, largest, old, value, memory }: Element): boolean => {
        const [by, kept] = [numberOf(alpha, memory), numberOf(beta, memory) * old];
        return Math.abs(value - by * sum - kept) <= 2 ** -12 * (Math.abs(by) * largest + Math.abs(kept));
      };
      if (elements.every(isComputed)) return { alpha, beta };
    }
  return undefined;
}

function elementOf({ root }: Pick<Matrix, 'root'>, { types }: Fn): Type & { kind: 'scalar' } {
  const type = types.resolve((root!.parameter ?? root!.variable)!.type);
  return (type.kind === 'pointer' ? type.to : type.kind === 'array' ? type.of : type) as Type & { kind: 'scalar' };
}

/** Elements of the first and last blocks, for sizes that differ; undefined where the kernel is not followed. */
function elementsOf(product: Product, runs: Runs, fn: Fn): readonly Element[] | undefined {
  const text = { program: fn.program, types: fn.types, gpu: {} as Gpu };
  const compiler = createCompiler(fn.program, fn.types);
  const decl = shortened(runs.decl, runs.loop);
  const elements: Element[] = [];
  for (let seed = 1, valid = 0; seed <= mostInputs && valid < enoughInputs; seed++) {
    const builtins = new Map([
      ['blockDim.x', runs.block[0]],
      ['gridDim.x', blocks],
    ]);
    const numberOf = (name: string): number => builtins.get(name) ?? sizes[hashText(name, seed) % sizes.length]!;
    const size = ({ terms }: Index): number =>
      [...terms].reduce((sum, [key, by]) => sum + atomsOf(key).reduce((all, atom) => all * numberOf(atom), by), 0);
    const [leading, depth] = [size(product.result.leading), size(product.terms)];
    const extents = product.ranges.map(({ extent }) => size(extent));
    // Columns that overlap are no matrix.
    if (extents[0]! > leading) continue;
    const memory = createMemory({ seed, isWhole: seed % 2 > 0, isReversed: seed % 3 === 0, integer: () => 0 });
    const given = new Map(
      fn.decl.params.flatMap(({ name, type }) => {
        const { kind, float } = fn.types.resolve(type) as Type & { kind: 'scalar' };
        return kind === 'scalar' && !float ? [[name, numberOf(name)] as const] : [];
      }),
    );
    const starts = runs.parts.map(({ axis, width }, at) => {
      const end = axis ? Math.ceil(extents[at]! / width) : 1;
      return [...new Set([0, end - 1, ...(runs.isGuarded ? [end] : [])])].filter((block) => block >= 0);
    });
    const along = (axis: 'x' | 'y'): readonly number[] =>
      starts[runs.parts.findIndex((part) => part.axis === axis)] ?? [0];
    for (const y of along('y'))
      for (const x of along('x')) {
        const contents = memory.ofBlock([x, y, 0], given);
        const { load } = contents;
        const { vector, block } = runs;
        contents.load = (place, path) => {
          const isVector = place.base.space === 'shared' && place.base.name === vector?.name;
          return load(isVector ? { ...place, base: { ...place.base, space: 'global' } } : place, path);
        };
        const setup = { ...text, compiler, fn: decl, bindings: noBindings, block, grid: [blocks, 1, 1] as const };
        const { complete } = run({ ...setup, contents, args: [], host: false, budget: Infinity });
        if (!complete || memory.unset > 0) return undefined;
      }
    const places = starts.map((all, at) => {
      const { axis, width } = runs.parts[at]!;
      const own = axis ? all.flatMap((block) => Array.from({ length: width }, (_, nth) => block * width + nth)) : [];
      return axis ? own.filter((place) => place < extents[at]!) : Array.from({ length: extents[at]! }, (_, nth) => nth);
    });
    const [lefts, rights] = product.factors.map((matrix, at) => {
      const type = elementOf({ root: matrix.root ?? runs.vector! }, fn);
      const [isAlong, pitch] = [matrix.transposed === (at === 0), size(matrix.leading)];
      return places[at]!.map((place) =>
        Array.from({ length: depth }, (_, term) => {
          const index = !matrix.root ? term : isAlong ? place * pitch + term : term * pitch + place;
          return memory.initial((matrix.root ?? runs.vector!).name, index * sizeOf(type)!, type);
        }),
      );
    });
    const type = elementOf(product.result, fn);
    const written = memory.written.get(product.result.root.name);
    let count = 0;
    for (const [at, row] of places[0]!.entries())
      for (const [to, column] of places[1]!.entries()) {
        const offset = (column * leading + row) * sizeOf(type)!;
        const [old, cell] = [memory.initial(product.result.root.name, offset, type), written?.get(offset)];
        const terms = lefts![at]!.map((left, term) => left * rights![to]![term]!);
        const [sum, largest] = [terms, terms.map(Math.abs)].map((all) => all.reduce((one, other) => one + other, 0));
        elements.push({ sum: sum!, largest: largest!, old, value: cell?.value ?? old, memory });
        count += Number(cell !== undefined);
      }
    for (const [, cells] of memory.written) count -= cells.size;
    if (count < 0) return undefined;
    if (depth > 0 && Math.min(...extents) > 0) valid++;
  }
  return elements.length > 0 ? elements : undefined;
}

/** The tree with another bound of the loop. */
function shortened<T>(tree: T, loop: ForStmt): T {
  if (Array.isArray(tree)) return tree.map((each: unknown) => shortened(each, loop)) as T;
  const node = tree as Partial<Node> | undefined;
  if (typeof node !== 'object' || !(node.start! <= loop.start && node.end! >= loop.end)) return tree;
  const entries = Object.entries(node).map(([key, part]) => [key, shortened<unknown>(part, loop)]);
  return Object.fromEntries(
    tree === loop ? [...entries, ['cond', { ...loop.cond, right: literal(few) }]] : entries,
  ) as T;
}

export const literal = (value: number): Expr => ({
  kind: 'number',
  value,
  type: 'int',
  text: `${value}`,
  start: 0,
  end: 0,
});
