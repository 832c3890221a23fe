// Every use of an array in shared memory: by full subscripts, or in a way that counts on where its elements lie.
import type { Expr } from '../../../syntax/ast';
import { type Fn, calleeName, type AnySyntax, sizeOf } from '../../language';
import type { Tile } from './tile';

export interface TileUse {
  /** Subscripts, outermost first. */
  readonly indices: readonly Expr[];
  /** Bytes that are moved from there: more than an element where the address is cast to a wider type. */
  readonly bytes: number;
  /** A macro writes the subscripts, or a part of them. */
  readonly macro: boolean;
}

/** All uses; a sentence where one is none by full subscripts. What counts on the layout otherwise, a run tells. */
export function tileUsesOf(tile: Tile, fn: Fn): readonly TileUse[] | string {
  const rank = Math.max(1, tile.dimensions.length);
  const uses: TileUse[] = [];
  for (const use of tile.variable.uses) {
    let at: Expr = use;
    const indices: Expr[] = [];
    for (let up = fn.parent(at); up?.kind === 'index' && up.base === at && indices.length < rank; ) {
      indices.push(up.index);
      at = up;
      up = fn.parent(at);
    }
    if (indices.length !== rank) return 'the tile is not only used with full subscripts';
    const bytes = bytesMoved(at, tile, fn);
    if (bytes === undefined) return 'the address of an element is passed on';
    uses.push({ indices, bytes, macro: !!at.macro || indices.some((index) => index.macro) });
  }
  return uses;
}

/** The bytes that are moved from an element; undefined where its address is not followed. */
function bytesMoved(element: Expr, tile: Tile, fn: Fn): number | undefined {
  const parent = fn.parent(element);
  if (parent?.kind === 'unary' && parent.op === '&') {
    const outer = fn.parent(parent);
    if (outer?.kind === 'call')
      return outer.args[0] === parent && /^atomic/.test(calleeName(outer) ?? '') ? tile.elementBytes : undefined;
    if (outer?.kind !== 'cast' || outer.type.kind !== 'pointer') return undefined;
    const through: AnySyntax | undefined = fn.parent(outer);
    const isDereferenced =
      (through?.kind === 'unary' && through.op === '*') ||
      (through?.kind === 'index' && through.base === outer && fn.types.constant(through.index) === 0);
    // `&*p` is the pointer again.
    const next = isDereferenced ? fn.parent(through) : undefined;
    if (!isDereferenced || (next?.kind === 'unary' && next.op === '&')) return undefined;
    return sizeOf(fn.types.resolve(outer.type.to));
  }
  return tile.elementBytes;
}
