// Shared arrays whose inner dimension one more element would shift through the banks, and whether every use allows it.
import type { Expr, TypeSyntax, VarDecl } from '../../syntax/ast';
import type { SharedTileFact } from '../model';
import { wavefrontsOf } from '../run/cost';
import { rootName, type AnySyntax } from '../language/statements';
import { sizeOf } from '../language/types';
import { spanOf, textOf, type FunctionContext } from '../language/functionContext';
import { calleeName, localsOf, type Local, type Locals } from '../language/scope';
import { createFrame, evaluate } from '../language/threadValues';

/**
 * One warp instruction on the array: byte offsets from its start of `count` active lanes, their lane numbers, and the
 * bytes each moves.
 */
export interface SharedSample {
  readonly offsets: Float64Array;
  readonly lanes: Uint8Array;
  readonly count: number;
  readonly bytes: number;
}

interface Tile {
  readonly variable: Local;
  readonly dimensions: readonly number[];
  readonly innerSize: Expr;
  readonly elementBytes: number;
}

/**
 * What padding the innermost dimension of a static shared array of two or more dimensions by one element would do;
 * undefined where the array is none, or its size is no constant. `accesses` holds the samples of each access to the
 * array, the one in question first:
 * `conflictAfterPad` is its ratio of wavefronts to ideal after the padding, or that of another access which the padding
 * would make worse.
 */
export function sharedTileOf(
  context: FunctionContext,
  declaration: VarDecl,
  accesses: readonly (readonly SharedSample[])[],
): SharedTileFact | undefined {
  const known = knownOf(context, declaration);
  if (!known) return undefined;
  const { tile } = known;
  const inner = tile.dimensions.at(-1)!;
  const rows = tile.dimensions.slice(0, -1).reduce((product, size) => product * size, 1);
  const rowBytes = inner * tile.elementBytes;
  const [own, ...others] = accesses.map((samples) => {
    const [sample] = samples;
    let ratios = sample && known.ratios.get(sample.offsets);
    if (!ratios) {
      ratios = { before: ratioOf(samples, rowBytes, 0), after: ratioOf(samples, rowBytes, tile.elementBytes) };
      if (sample && samples.length === 1) known.ratios.set(sample.offsets, ratios);
    }
    return ratios;
  });
  if (own?.after === undefined) return undefined;
  const worst = others.reduce(
    (most, other) =>
      other.after !== undefined && other.before !== undefined && other.after > other.before + 0.01
        ? Math.max(most, other.after)
        : most,
    own.after,
  );
  return {
    declarationAt: spanOf(context, declaration),
    innerSizeAt: spanOf(context, tile.innerSize),
    innerSizeText: textOf(context, tile.innerSize),
    onlySubscripts: known.onlySubscripts,
    extraBytes: rows * tile.elementBytes,
    totalBytes: known.totalBytes,
    conflictAfterPad: worst,
  };
}

/** What holds for all accesses to an array: a kernel of thousands of them asks for it as often. */
interface KnownTile {
  readonly tile: Tile;
  readonly onlySubscripts: boolean;
  readonly totalBytes: number;
  /** Of accesses with one sample, by its offsets. */
  readonly ratios: WeakMap<
    SharedSample['offsets'],
    { readonly before: number | undefined; readonly after: number | undefined }
  >;
}
const knownTiles = new WeakMap<FunctionContext, Map<VarDecl, KnownTile | undefined>>();

function knownOf(context: FunctionContext, declaration: VarDecl): KnownTile | undefined {
  let tiles = knownTiles.get(context);
  if (!tiles) knownTiles.set(context, (tiles = new Map()));
  if (!tiles.has(declaration)) {
    const locals = localsOf(context.fn);
    const tile = tileOf(declaration, context, locals);
    tiles.set(
      declaration,
      tile && {
        tile,
        onlySubscripts: !declaration.macro && onlySubscripts(tile, context, locals),
        totalBytes: sharedBytesOf(context, locals),
        ratios: new WeakMap(),
      },
    );
  }
  return tiles.get(declaration);
}

function tileOf(declaration: VarDecl, context: FunctionContext, locals: Locals): Tile | undefined {
  if (declaration.space !== 'shared' || declaration.storage === 'extern') return undefined;
  const dimensions: number[] = [];
  let innerSize: Expr | undefined;
  let type: TypeSyntax = declaration.type;
  while (type.kind === 'array') {
    const size: number | undefined = type.size && constantSize(type.size, context);
    if (size === undefined || size <= 0) return undefined;
    dimensions.push(size);
    innerSize = type.size;
    type = type.of;
  }
  const elementBytes = sizeOf(context.types.resolve(type)) ?? templateBytes(type, context);
  const variable = locals.all.find((local) => local.variable === declaration);
  if (dimensions.length < 2 || !innerSize || !elementBytes || !variable) return undefined;
  return { variable, dimensions, innerSize, elementBytes };
}

/** A constant, or a template parameter to which all launches in sight give one value. */
function constantSize(size: Expr, context: FunctionContext): number | undefined {
  const constant = context.types.constant(size);
  if (constant !== undefined) return constant;
  const values = new Set(
    (context.launchValues ?? []).map((launch, at) => {
      const value = evaluate(size, createFrame(context, context.blockShapes[at] ?? [32, 1, 1], launch));
      return typeof value === 'number' ? value : undefined;
    }),
  );
  const [only] = values;
  return values.size === 1 ? only : undefined;
}
function templateBytes(type: TypeSyntax, context: FunctionContext): number | undefined {
  if (type.kind !== 'named') return undefined;
  const sizes = new Set(
    (context.launchTypes ?? []).map((launch) => {
      const name = launch.get(type.name);
      return name === undefined ? undefined : sizeOf(context.types.resolve({ kind: 'named', name }));
    }),
  );
  const [only] = sizes;
  return sizes.size === 1 ? only : undefined;
}

function sharedBytesOf(context: FunctionContext, locals: Locals): number {
  let sum = 0;
  for (const local of locals.all)
    if (local.variable?.space === 'shared')
      sum += sizeOf(context.types.resolve(local.variable.type)) ?? arrayBytes(local.variable, context);
  return sum;
}
function arrayBytes(declaration: VarDecl, context: FunctionContext): number {
  let count = 1;
  let type: TypeSyntax = declaration.type;
  while (type.kind === 'array') {
    count *= (type.size && constantSize(type.size, context)) ?? 0;
    type = type.of;
  }
  return count * (sizeOf(context.types.resolve(type)) ?? templateBytes(type, context) ?? 4);
}

/** Is every use a full subscript, so that no code counts on rows that lie end to end? */
function onlySubscripts(tile: Tile, context: FunctionContext, locals: Locals): boolean {
  // `sizeof` is not evaluated and so not among the uses.
  for (const node of locals.nodes)
    if (node.kind === 'sizeof' && node.operand && rootName(node.operand) === tile.variable.name) return false;
  return tile.variable.uses.every((use) => {
    let at: AnySyntax = use;
    const indices: Expr[] = [];
    for (
      let parent = locals.parent(at);
      parent?.kind === 'index' && parent.base === at && indices.length < tile.dimensions.length;
      parent = locals.parent(at)
    ) {
      indices.push(parent.index);
      at = parent;
    }
    if (indices.length !== tile.dimensions.length) return false;
    const parent = locals.parent(at);
    if (parent?.kind === 'unary' && parent.op === '&') {
      const call = locals.parent(parent);
      if (!(call?.kind === 'call' && call.args[0] === parent && /^atomic/.test(calleeName(call) ?? ''))) return false;
    }
    if (parent?.kind === 'call' && takesAddress(calleeName(parent), parent.args.indexOf(at), context)) return false;
    if (parent?.kind === 'var' && parent.type.kind === 'reference') return true; // a reference to one element
    return staysInRow(indices, tile, context);
  });
}
/** Can a function in sight walk on from the element it is given? */
function takesAddress(name: string | undefined, position: number, context: FunctionContext): boolean {
  return (
    !!name &&
    context.program.functions(name).some((fn) => {
      const type = fn.params[position]?.type;
      return type?.kind === 'pointer' || (type?.kind === 'reference' && type.to.kind === 'array');
    })
  );
}

/**
 * Does the last subscript stay below the row's length? A tile that is filled as one long row (`tile[0][t]`) counts on
 * rows without gaps.
 */
function staysInRow(indices: readonly Expr[], tile: Tile, context: FunctionContext): boolean {
  const last = indices.at(-1)!;
  const inner = tile.dimensions.at(-1)!;
  const inside = context.blockShapes.map((shape, at) => {
    const value = evaluate(last, createFrame(context, shape, context.launchValues?.[at]));
    return value === undefined
      ? undefined
      : typeof value === 'number'
        ? value < inner
        : value.every((each) => each < inner);
  });
  if (inside.includes(false)) return false;
  const oneRow = indices.slice(0, -1).every((index) => context.types.constant(index) !== undefined);
  return !oneRow || context.types.constant(last) !== undefined || (inside.length > 0 && !inside.includes(undefined));
}

/**
 * Wavefronts over ideal wavefronts of the samples, each row `rowBytes` long and `padBytes` further from the next one
 * than it was.
 */
function ratioOf(samples: readonly SharedSample[], rowBytes: number, padBytes: number): number | undefined {
  let wavefronts = 0;
  let ideal = 0;
  for (const sample of samples) {
    const moved = sample.offsets.map((offset) => offset + Math.floor(offset / rowBytes) * padBytes);
    const cost = wavefrontsOf(moved, sample.lanes, sample.count, sample.bytes);
    wavefronts += cost.wavefronts;
    ideal += cost.ideal;
  }
  return ideal > 0 ? wavefronts / ideal : undefined;
}
