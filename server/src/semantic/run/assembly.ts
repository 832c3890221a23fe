// Instructions of inline PTX that load, store or copy (PTX ISA, "Data Movement and Conversion Instructions"): they
// are counted by the addresses that their operands give.
import type { Expr } from '../../syntax/ast';
import { intType } from '../language';
import { countCopy, isCopied, lanesUnder, settledNumber, type Copied } from './asyncCopies';
import { add, byLane, select, type Mask } from './lanes';
import { deref } from './memory';
import { plain, uncertain, withMask, type Frame, type MemoryPlace, type Path, type Run, type Value } from './values';

const movesMemory = new RegExp(
  String.raw`\b(?:(?:ld|ldu|st|red|atom)(?:\.\w+)*\.(?:global|shared)|(?:ld|st)matrix|` +
    String.raw`cp\.async\.(?:c[ag]|bulk)|wmma\.(?:load|store))\b`,
);
/** Does the template move memory? */
export function movesByAssembly(template: string): boolean {
  return movesMemory.test(template);
}

/** An operand of the statement. */
export interface Operand {
  readonly node: Expr;
  readonly value: Value;
}
type Count = (path: Path, frame: Frame) => void;

/** The predicate of an instruction, its name, and its operands. */
const written = /(?:@(!?)(%?\w+)\s+)?\b([a-z]+(?:\.[\w:]+)+)([^;]*)/g;
/** `[%4 + 16]` */
const addressed = /\[\s*%(\d+)\s*(?:\+\s*(\d+)\s*)?\]/g;
/** Sets a predicate where an operand is not zero. */
const tested = /\bsetp\.ne\.[bsu]32\s+(%?\w+)\s*,\s*%(\d+)\s*,\s*0\s*;/g;
/** Vector, and bits of an element, of a load or store. */
const plainMove = new RegExp(
  String.raw`^(?:ld|st)(?:\.[a-zA-Z]\w*)*?\.(?:global|shared(?:::cta)?)(?:\.(?!v\d)[a-zA-Z][\w:]*)*?` +
    String.raw`(?:\.v([248]))?\.[busf](8|16|32|64|128)$`,
);
const matrixMove =
  /^(?:ld|st)matrix\.sync\.aligned(?:\.m8n8)?\.x([124])(?:\.m8n8)?(?:\.trans)?\.shared(?:::cta)?\.b16$/;
const copyMove = /^cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\w+)*$/;

/** Counts what the template moves; false where an instruction, or an address of one, is not known. */
export function countAssembly(
  template: string,
  operands: readonly (Operand | undefined)[],
  path: Path,
  frame: Frame,
): boolean {
  const text = template.replace(/"\s*"|\\[nt]|[\r\n]/g, ' ');
  const predicates = new Map([...text.matchAll(tested)].map(([, name, at]) => [name, operands[Number(at)]?.value]));
  const counts: [Count, Mask][] = [];
  for (const [, isNot, predicate, name, list] of text.matchAll(written)) {
    if (!movesMemory.test(name!)) continue;
    const condition = predicates.get(predicate);
    if (predicate !== undefined && (!condition || condition.taint & uncertain)) return false;
    const count = countOf(frame.run, name!, list!, operands);
    if (!count) return false;
    counts.push([count, condition ? lanesUnder(path.mask, condition, !isNot) : path.mask]);
  }
  for (const [count, mask] of counts) count(withMask(path, mask), frame);
  return counts.length > 0;
}

function countOf(run: Run, name: string, list: string, operands: readonly (Operand | undefined)[]): Count | undefined {
  const [first, second] = placesIn(run, list, operands);
  if (!first) return undefined;
  const { node, place } = first;
  if (copyMove.test(name)) {
    // The last operand of a cache hint is its policy.
    const words = list.split(',').slice(2, name.endsWith('cache_hint') ? -1 : undefined);
    const [size, read] = words.map((word) => numberOf(word.trim(), operands));
    const bytes = settledNumber(size);
    const isRead = words.length < 2 || (read && !(read.taint & uncertain));
    if (!second || bytes === undefined || !isRead) return undefined;
    const copied: Copied = { into: place, target: node, out: second.place, source: second.node, bytes, width: bytes };
    return isCopied(copied) ? (path, frame) => countCopy(copied, read, path, frame) : undefined;
  }
  const [, matrices] = matrixMove.exec(name) ?? [];
  const [, vector = '1', bits] = plainMove.exec(name) ?? [];
  const bytes = matrices ? 16 : (Number(vector) * Number(bits ?? 0)) / 8;
  if (bytes === 0 || bytes > 16) return undefined;
  const lanes = matrices ? 8 * Number(matrices) : 32;
  const isAddressed = byLane(run.threads, (lane) => (lane < lanes ? 1 : 0));
  return (path, frame) =>
    run.recorder.instruction(
      place,
      bytes,
      name.startsWith('ld') ? 'load' : 'store',
      withMask(path, select(path.mask, isAddressed, true)),
      frame,
      node,
    );
}

/** The places that the operands in brackets name; none where one is unknown. */
function placesIn(
  run: Run,
  list: string,
  operands: readonly (Operand | undefined)[],
): { node: Expr; place: MemoryPlace }[] {
  const brackets = list.match(/\[/g)?.length ?? 0;
  const places = [...list.matchAll(addressed)].flatMap(([, at, more = '0']) => {
    const operand = operands[Number(at)];
    const place = operand?.value.base && deref(run, operand.value);
    // Lanes are apart by elements, and nothing says how large one is.
    if (!operand || place?.kind !== 'memory' || place.type.kind === 'unknown') return [];
    return [{ node: operand.node, place: { ...place, offset: add(place.offset, Number(more)) } }];
  });
  return places.length === brackets ? places : [];
}

function numberOf(word: string, operands: readonly (Operand | undefined)[]): Value | undefined {
  const [, at] = /^%(\d+)/.exec(word) ?? [];
  if (at !== undefined) return operands[Number(at)]?.value;
  const [number] = /^\d+/.exec(word) ?? [];
  return number === undefined ? undefined : plain(intType, Number(number), 0);
}
