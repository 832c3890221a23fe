// Ways to lay an array out in shared memory, and what its accesses cost under each.
import type { SharedSample } from '../writing/family';
import { wavefrontsOf } from '../../run';

/** `/` cuts off, as for the integers of the text. */
export type Layout =
  /** Each row is longer by so many elements. */
  | { readonly kind: 'pad'; readonly by: number }
  /** `s[e]` is `s[e + e / every * by]`. */
  | { readonly kind: 'spread'; readonly every: number; readonly by: number }
  /** The last subscript `c` is `c ^ of / divide % modulo * unit`, `of` the subscript before it or `c` itself. */
  | {
      readonly kind: 'xor';
      readonly of: 'row' | 'column';
      readonly divide: number;
      readonly modulo: number;
      readonly unit: number;
    };

export interface Extents {
  /** Outermost first; empty where the launch gives the extent. */
  readonly dimensions: readonly number[];
  readonly elementBytes: number;
  /** Elements that have to stay together, because one instruction moves them. */
  readonly grain: number;
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));
const powersUpTo = (most: number): number[] => {
  const out: number[] = [];
  for (let value = 1; value <= most; value *= 2) out.push(value);
  return out;
};

/** Bytes of one pass over all banks. */
const bankBytes = 128;

/** Layouts that keep pieces of `grain` elements together and aligned, those that are simplest to read first. */
export function* layoutsOf({ dimensions, elementBytes, grain }: Extents): Generator<Layout> {
  const inner = dimensions.at(-1);
  const across = Math.max(1, bankBytes / elementBytes);
  if (dimensions.length > 1 && inner !== undefined && inner % grain === 0)
    for (let by = grain; by <= Math.max(grain, across / 2) && by <= inner; by += grain) yield { kind: 'pad', by };
  if (dimensions.length <= 1)
    for (const every of [across, across / 2, across / 4, across / 8, across * 2])
      if (Number.isInteger(every) && every > 1 && every % grain === 0)
        for (const by of [1, 2, 4]) yield { kind: 'spread', every, by: by * grain };
  if (inner === undefined) return;
  const units = [1, 2, 4].map((factor) => factor * grain);
  const moduli = [2, 4, 8, 16, 32];
  if (dimensions.length > 1 && isPowerOfTwo(inner))
    for (const unit of units)
      for (const modulo of [...moduli].reverse())
        for (const divide of [1, 2, 4, 8])
          if (unit * modulo <= inner) yield { kind: 'xor', of: 'row', divide, modulo, unit };
  for (const divide of powersUpTo(inner / 2))
    if (inner % divide === 0)
      for (const unit of units)
        for (const modulo of moduli)
          if (unit * modulo <= divide) yield { kind: 'xor', of: 'column', divide, modulo, unit };
}

/** Where the bytes of the array lie under a layout. */
export function movedBy(layout: Layout, { dimensions, elementBytes }: Extents): (offset: number) => number {
  const inner = dimensions.at(-1) ?? Infinity;
  const rows = dimensions.at(-2) ?? 1;
  return (offset) => {
    const element = Math.floor(offset / elementBytes);
    const within = offset - element * elementBytes;
    const row = dimensions.length > 1 ? Math.floor(element / inner) : 0;
    switch (layout.kind) {
      case 'pad':
        return offset + row * layout.by * elementBytes;
      case 'spread':
        return offset + Math.floor(element / layout.every) * layout.by * elementBytes;
      case 'xor': {
        const column = dimensions.length > 1 ? element - row * inner : element;
        const of = layout.of === 'row' ? row % rows : column;
        const flip = (Math.floor(of / layout.divide) % layout.modulo) * layout.unit;
        return (element - column + xor(column, flip)) * elementBytes + within;
      }
    }
  };
}

/** Exclusive or of whole numbers, negative ones (an index out of its row) left as they are. */
function xor(left: number, right: number): number {
  return left < 0 || left > 0x7fffffff ? left : left ^ right;
}

export interface Cost {
  readonly wavefronts: number;
  readonly ideal: number;
  /** Instructions of what the compiler makes together and, under the layout, no longer does. */
  readonly parted?: number;
}

/**
 * Is it still seen that so many neighbouring elements are neighbours, and aligned? Of a subscript that divides or
 * exchanges bits it is not: the loads stay apart.
 */
function keepsTogether(layout: Layout, { dimensions }: Extents, elements: number): boolean {
  return layout.kind === 'pad' && layout.by % elements === 0 && dimensions.at(-1)! % elements === 0;
}

/**
 * Wavefronts of one access, as it is or under a layout; undefined where nothing was sampled of it. What the compiler
 * merges and the layout parts is counted in its pieces.
 */
export function costOf(samples: readonly SharedSample[], layout?: Layout, extents?: Extents): Cost | undefined {
  let wavefronts = 0;
  let ideal = 0;
  let parted = 0;
  const move = layout && extents && movedBy(layout, extents);
  for (const { offsets, lanes, count, bytes, scalarBytes = bytes } of samples) {
    const isParted =
      layout &&
      extents &&
      scalarBytes < bytes &&
      !keepsTogether(layout, extents, Math.ceil(bytes / extents.elementBytes));
    const piece = isParted ? scalarBytes : bytes;
    for (let from = 0; from < bytes; from += piece) {
      const places = offsets.map((offset) => (move ? move(offset + from) : offset + from));
      const cost = wavefrontsOf(places, lanes, count, piece);
      wavefronts += cost.wavefronts;
      ideal += cost.ideal;
      if (isParted) parted++;
    }
  }
  return ideal > 0 ? { wavefronts, ideal, ...(parted > 0 ? { parted } : {}) } : undefined;
}
