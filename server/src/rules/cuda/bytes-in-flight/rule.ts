// cuda/bytes-in-flight: a streaming kernel whose threads move too few bytes each to keep the memory busy.
import { type AccessFact, contains, type KernelFact, type Model, type Span } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

/** The widest access of a thread, in bytes. */
const widest = 16;
/** Lanes of a request, and bytes of a line that it fills. */
const [lanes, line] = [32, 128];

export default defineRule<'kernel', 'narrow'>({
  meta: {
    id: 'cuda/bytes-in-flight',
    since: '0.2.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    needsGain: true,
    summary: 'Each thread of a streaming kernel moves so few bytes that the memory waits for blocks.',
    docs,
    messages: {
      narrow:
        '{bytes} a thread: too few to keep the memory busy. Blocks of `{kernel}` end faster than new ones begin. Let ' +
        'each thread move {elements} neighbouring elements as a vector of 16 bytes, in {elements} times fewer blocks.',
    },
    example: { kernel: 'scale', bytes: '4 bytes', elements: 4 },
  },
  on: 'kernel',
  *check(fact, { model }): Generator<Finding<'narrow'>> {
    const bytes = widthOf(fact, model);
    if (bytes === undefined || bytes > widest / 2) return;
    // Requests that fill a line are what most code has: they gain where there are many, and not much.
    const isFilled = bytes * lanes >= line;
    if (isFilled && !fact.shapes.some(({ grid }) => grid.x !== undefined)) return;
    const elements = widest / bytes;
    yield {
      at: fact.nameAt,
      message: 'narrow',
      waste: { kind: 'narrow', elements },
      severity: isFilled ? 'information' : 'warning',
      confidence: fact.shapes.some(({ assumed }) => assumed) ? 'assumed' : 'proven',
      data: { kernel: excerpt(fact.name, 40), bytes: bytes === 1 ? '1 byte' : `${bytes} bytes`, elements },
    };
  },
});

/** Bytes of the widest element, where each thread moves one of some arrays, side by side, and does nothing else. */
function widthOf({ global, name, at, cost, fetches, notAnalysed }: KernelFact, { facts }: Model): number | undefined {
  if (!global || notAnalysed !== undefined || fetches?.length) return undefined;
  const accesses = facts.access.filter(({ via, at: place }) => contains(at, via ?? place));
  const loops = new Set(accesses.flatMap((access) => access.loops.map((loop) => loop.at.start)));
  const moved = accesses.filter(({ laneStride }) => laneStride !== 0);
  const isStream = cost.loops === loops.size && moved.some(({ mode }) => mode === 'store');
  const byData = facts.branch.filter(({ dataDependent, at: condition }) => dataDependent && contains(at, condition));
  const isChosen = (place: Span): boolean => byData.some(({ statementAt }) => contains(statementAt, place));
  if (!isStream || !accesses.every((access) => isOfElement(access) && !isChosen(access.at))) return undefined;
  const meets = facts.barrier.some((barrier) => barrier.kernels.includes(name) && contains(at, barrier.at));
  if (meets || facts.unread.some(({ kernels }) => kernels.includes(name))) return undefined;
  return Math.max(...moved.map(({ elementBytes }) => elementBytes));
}

/** An element for each lane, side by side, or one for all, whatever the data. */
function isOfElement({ space, mode, loops, laneStride, elementBytes, certainty }: AccessFact): boolean {
  if (mode === 'atomic' || loops.some(({ trips }) => trips !== 1) || certainty === 'unknown') return false;
  return laneStride === 0
    ? space === 'global' || space === 'constant'
    : space === 'global' && laneStride === elementBytes;
}
