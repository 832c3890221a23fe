// cuda/global-race: threads of a launch meet at one place of global memory, and nothing orders them.
import type { RaceFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { raceData } from '../../raceWording';
import docs from './docs.json';

type Message =
  | 'lost-update'
  | 'lost-update-by-blocks'
  | 'lost-update-by-data'
  | 'read-by-block'
  | 'unfenced'
  | 'unfenced-release'
  | 'set-by-block'
  | 'read-amid-atomics'
  | 'read-by-each-block'
  | 'atomic-of-block'
  | 'written-by-blocks'
  | 'unseen-write'
  | 'overwritten'
  | 'two-writes';

const inBlock = { 'store-load': 'unseen-write', 'load-store': 'overwritten', 'store-store': 'two-writes' } as const;

export default defineRule<'race', Message>({
  meta: {
    id: 'cuda/global-race',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'unsafe',
    summary:
      'Two threads of a launch access one place of global memory, one of them writing, with nothing between them.',
    docs,
    confirm:
      'Confirm: compare the results of several runs, and of blocks of other sizes (racecheck looks at shared ' +
      'memory alone).',
    messages: {
      'lost-update':
        'Race on `{array}`: updates are lost. Thread {other} and thread {one} of a block both read `{text}`, change ' +
        'it and write it back, in any order: use an atomic, or give each place one thread{assuming}.',
      'lost-update-by-blocks':
        'Race on `{array}`: updates are lost. Thread {other} of one block and thread {one} of another both read ' +
        '`{text}`, change it and write it back, in any order: use an atomic, or give each place one thread{assuming}.',
      'lost-update-by-data':
        'Race on `{array}`: updates may be lost. Where the data send two threads to one place, both read `{text}`, ' +
        'change it and write it back: use an atomic, unless each place has one thread{assuming}.',
      'read-by-block':
        'Race on `{array}`: a block reads what another writes. Thread {other} of one block writes `{otherText}`, ' +
        'thread {one} of another reads the same place as `{text}` here. Blocks run in any order, and ' +
        '`__syncthreads()` orders the threads of one block alone{assuming}.',
      unfenced:
        'Race on `{array}`: a block may read what it was before another wrote it. `{text}` is behind an atomic that ' +
        'tells of `{otherText}`, with no `__threadfence()` between that write and the atomic{assuming}.',
      'unfenced-release':
        'Race on `{array}`: the lock opens before others see the write. No `__threadfence()` is between ' +
        '`{otherText}` and `{text}`: the thread that takes the lock next may read what was there before{assuming}.',
      'atomic-of-block':
        'Race on `{array}`: `_block` orders the threads of one block alone. Thread {other} of one block and ' +
        'thread {one} of another update the same place as `{text}`: use the atomic without `_block`{assuming}.',
      'set-by-block':
        'Race on `{array}`: each block sets it while others update it. Thread {other} of one block writes ' +
        '`{otherText}` after atomics of other blocks at the same place (`{text}` here), which are lost; set it ' +
        'before the launch, as with `cudaMemset`{assuming}.',
      'read-amid-atomics':
        'Race on `{array}`: atomics may change it while it is read. Where the data give two threads one place, ' +
        '`{otherText}` is its value before or after `{text}` of the other thread: read a copy made before the ' +
        'launch, unless either value will do{assuming}.',
      'read-by-each-block':
        'Race on `{array}`: it is read before all blocks have updated it. Thread {one} reads `{text}`, to which ' +
        'blocks that come later still add by atomics: `__syncthreads()` waits for the threads of one block ' +
        'alone; read it in the next launch{assuming}.',
      'written-by-blocks':
        'Race on `{array}`: two blocks write it in any order. Thread {other} of one block writes `{otherText}`, ' +
        'thread {one} of another writes another value to the same place as `{text}` here{assuming}.',
      'unseen-write':
        'Race on `{array}`: it may be read before it is written. Thread {other} writes `{otherText}`, thread {one} ' +
        'of its block reads the same place as `{text}` here, with no `__syncthreads()` between them{assuming}.',
      overwritten:
        'Race on `{array}`: it may be overwritten before it is read. Thread {other} reads `{otherText}`, thread ' +
        '{one} of its block writes the same place as `{text}` here, with no `__syncthreads()` between ' +
        'them{assuming}.',
      'two-writes':
        'Race on `{array}`: two threads write it in any order. Thread {other} writes `{otherText}`, thread {one} of ' +
        'its block writes another value to the same place as `{text}` here, with no `__syncthreads()` between ' +
        'them{assuming}.',
    },
    example: { text: 'total[0]', other: '0', one: '1', array: 'total', otherText: 'total[0]', assuming: '' },
  },
  on: 'race',
  *check(fact): Generator<Finding<Message>> {
    if (fact.memory !== 'global') return;
    const { supposed } = fact;
    const isWarning = supposed !== undefined || fact.size !== undefined || (fact.scope === 'warp' && !fact.isUpdate);
    const severity = fact.byData ? 'information' : isWarning ? 'warning' : 'error';
    const isByData = fact.byAtomic && fact.byData;
    const does = isByData ? 'it is read here' : `thread ${fact.threads[0]} accesses it here`;
    const fix = fact.fix ?? fact.fixes?.['second-buffer'];
    yield {
      at: fact.at,
      message: messageOf(fact),
      severity,
      data: raceData(fact),
      related: fact.isUpdate ? [] : [{ at: fact.other.at, text: fact.isUnfenced ? 'it is written here' : does }],
      confidence: supposed || fact.size || fact.byData ? 'assumed' : 'proven',
      ...(fix ? { fixes: [{ ...fix, applicability: 'unsafe', mends: true }] } : {}),
      ...(fact.refusals ? { refusals: fact.refusals } : {}),
    };
  },
});

function messageOf({ isUnfenced, isUpdate, byAtomic, areAtomics, byData, scope, order }: RaceFact): Message {
  if (isUnfenced) return byAtomic ? 'unfenced-release' : 'unfenced';
  if (areAtomics) return 'atomic-of-block';
  if (byAtomic && byData) return 'read-amid-atomics';
  if (byAtomic && scope === 'grid') return order === 'store-load' ? 'read-by-each-block' : 'set-by-block';
  const ofGrid = scope === 'grid';
  if (isUpdate) return ofGrid ? 'lost-update-by-blocks' : byData ? 'lost-update-by-data' : 'lost-update';
  if (ofGrid) return order === 'store-store' ? 'written-by-blocks' : 'read-by-block';
  return inBlock[order];
}
