// Tiles that a warp moves between memory and the fragments of a matrix product (`wmma`): the addresses of each lane.
//
// The layout of fragments is that of `mma` (PTX ISA, "Matrix Fragments for mma"); what nvcc 13.0 makes of it for sm_90
// (test/semantic/model/fragments.cu): lane `l` holds elements side by side of row `l / 4` of eight rows, and one
// instruction moves as many rows. Halves in the other layout are moved the same way and transposed in registers, all
// else element by element.
import type { CallSite } from './callSite';
import { pointedAt } from './callSite';
import type { Scope } from './scope';
import { intType, lastPart, sizeOf, tileMovedBy, typeName, voidType, type Type } from '../language';
import { byLane, select } from './lanes';
import { deref } from './memory';
import { arithmetic } from './operations';
import { plain, Taint, withMask, type Frame, type MemoryPlace, type Path, type Run, type Value } from './values';

interface Fragment {
  readonly use: string;
  /** Rows and columns of the matrix. */
  readonly rows: number;
  readonly columns: number;
  /** The product is computed with its operands exchanged, so that its columns are side by side in a lane. */
  readonly isExchanged: boolean;
  readonly layout: string;
}

function fragmentOf(type: Type | undefined): Fragment | undefined {
  if (type?.kind !== 'struct' || type.name !== 'fragment' || !type.bindings) return undefined;
  const { types, values } = type.bindings;
  const name = (key: string): string => lastPart(types.get(key) ? typeName(types.get(key)!) : '');
  const [m, n, k] = ['m', 'n', 'k'].map((key) => values.get(key));
  // Elements of less than a byte have a separate layout.
  if (!m || !n || !k || /^([us]4|b1)$/.test(name('T'))) return undefined;
  const use = name('Use');
  const rows = use === 'matrix_b' ? k : m;
  const columns = use === 'matrix_a' ? k : n;
  return { use, rows, columns, isExchanged: use === 'accumulator' && m < n, layout: name('Layout') };
}

/** What one instruction moves: where each lane is in the tile, in rows of memory and elements of one. */
interface Instruction {
  readonly bytes: number;
  /** Lanes that give an address. */
  readonly lanes: number;
  readonly row: (lane: number) => number;
  readonly element: (lane: number) => number;
}

const numbersBelow = (count: number): number[] => Array.from({ length: Math.ceil(count) }, (_, at) => at);

/** `isColumnMajor`: as the tile lies in memory, which is of elements of `size` bytes. */
function instructionsOf(fragment: Fragment, size: number, isColumnMajor: boolean, isShared: boolean): Instruction[] {
  const { use, rows, columns, isExchanged } = fragment;
  const [height, width] = isColumnMajor ? [columns, rows] : [rows, columns];
  const isSideBySide = isColumnMajor === (use === 'matrix_b' || isExchanged);
  const together = use === 'accumulator' ? 2 : Math.max(1, 4 / size);
  if (!isSideBySide && size !== 2)
    return numbersBelow(height / (4 * together)).flatMap((down) =>
      numbersBelow(width / 8).flatMap((along) =>
        numbersBelow(together).map((nth) => ({
          bytes: size,
          lanes: 32,
          row: (lane) => together * (4 * down + (lane & 3)) + nth,
          element: (lane) => 8 * along + (lane >> 2),
        })),
      ),
    );
  const perRow = width / (4 * together);
  const count = (height / 8) * perRow;
  const row = (nth: number): number => 8 * Math.floor(nth / perRow);
  const element = (nth: number): number => 4 * together * (nth % perRow);
  // `ldmatrix`: eight lanes give the rows of one matrix.
  if (isShared && use !== 'accumulator' && size <= 2)
    return numbersBelow(count / 4).map((nth) => ({
      bytes: 16,
      lanes: Math.min(32, 8 * count),
      row: (lane) => row(4 * nth + (lane >> 3)) + (lane & 7),
      element: (lane) => element(4 * nth + (lane >> 3)),
    }));
  return numbersBelow(count).map((nth) => ({
    bytes: size * together,
    lanes: 32,
    row: (lane) => row(nth) + (lane >> 2),
    element: (lane) => element(nth) + together * (lane & 3),
  }));
}

/** `load_matrix_sync(fragment, pointer, distance)`, for accumulators with a layout, and `store_matrix_sync`. */
export function tileCall(
  scope: Scope,
  site: CallSite,
  qualifiedName: string,
): ((path: Path, frame: Frame) => Value | undefined) | undefined {
  const tile = tileMovedBy(qualifiedName);
  if (!tile || scope.functions(qualifiedName).some(({ body }) => body)) return undefined;
  const { expr } = site;
  const written = expr.args[3];
  const layout = written?.kind === 'name' ? lastPart(written.name) : undefined;
  return (path, frame) => {
    const { run } = frame;
    const { recorder } = run;
    const pointer = site.args[tile.argument]?.(path, frame);
    const distance = site.args[2]?.(path, frame);
    if (!pointer || !distance) return undefined;
    const place = deref(run, pointer);
    if (place.kind !== 'memory') return undefined;
    if (place.base.space === 'shared') recorder.shared.tile(place, tile.mode, path, frame, expr);
    else recorder.shared.meeting('warp', path.mask);
    const fragment = fragmentOf(site.places[1 - tile.argument]?.({ ...path, quiet: true }, frame).type);
    const order = layout ?? fragment?.layout;
    const size = sizeOf(place.type);
    const isKnown = fragment && size && /^(mem_)?(row|col)_major$/.test(order ?? '');
    if (!isKnown) recorder.lose(expr, 'unknown-call', path, frame);
    else {
      const node = pointedAt(expr.args[tile.argument]) ?? expr;
      const isShared = place.base.space === 'shared';
      for (const each of instructionsOf(fragment, size, order!.includes('col'), isShared)) {
        const at = withMask(
          path,
          select(
            path.mask,
            byLane(run.threads, (lane) => (lane < each.lanes ? 1 : 0)),
            true,
          ),
        );
        recorder.instruction(movedBy(run, pointer, distance, each), each.bytes, tile.mode, at, frame, node);
      }
    }
    return plain(voidType, 0, 0);
  };
}

function movedBy(run: Run, pointer: Value, distance: Value, { row, element }: Instruction): MemoryPlace {
  const rows = arithmetic(run, '*', plain(intType, byLane(run.threads, row), Taint.thread), distance);
  const elements = arithmetic(run, '+', rows, plain(intType, byLane(run.threads, element), Taint.thread));
  return deref(run, arithmetic(run, '+', pointer, elements)) as MemoryPlace;
}
