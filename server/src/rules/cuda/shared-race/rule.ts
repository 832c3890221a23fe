// cuda/shared-race: two threads of a block meet at one place of shared memory with no barrier between them.
import { defineRule, withSanitizer, type Finding } from '../../rule';
import { raceData } from '../../raceWording';
import docs from './docs.json';

const kinds = { 'store-load': 'unseen-write', 'load-store': 'overwritten', 'store-store': 'two-writes' } as const;
type Kind = (typeof kinds)[keyof typeof kinds];
type Message = Kind | `${Kind}-in-warp` | 'copy-in-flight' | 'storage-reused';

const did = { 'store-load': 'writes', 'load-store': 'reads', 'store-store': 'writes' } as const;

export default defineRule<'race', Message>({
  meta: {
    id: 'cuda/shared-race',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'Two threads access one place of shared memory, one of them writing, with no barrier between them.',
    docs,
    confirm: withSanitizer('racecheck'),
    messages: {
      'unseen-write':
        'Race on `{array}`: it may be read before it is written. Thread {other} writes `{otherText}`, ' +
        'thread {one} reads the same place as `{text}` here, with no `__syncthreads()` between ' +
        'them{assuming}.',
      overwritten:
        'Race on `{array}`: it may be overwritten before it is read. Thread {other} reads `{otherText}`, ' +
        'thread {one} writes the same place as `{text}` here, with no `__syncthreads()` between ' +
        'them{assuming}.',
      'two-writes':
        'Race on `{array}`: two warps write it in any order. Thread {other} writes `{otherText}`, thread ' +
        '{one} writes another value to the same place as `{text}` here, with no `__syncthreads()` between ' +
        'them{assuming}.',
      'unseen-write-in-warp':
        'Race on `{array}`: a lane may read before another writes. Thread {other} writes `{otherText}`, ' +
        'thread {one} of the same warp reads the same place as `{text}` here, with no `__syncwarp()` ' +
        'between them: since Volta lanes do not run in step{assuming}.',
      'overwritten-in-warp':
        'Race on `{array}`: a lane may write before another reads. Thread {other} reads `{otherText}`, ' +
        'thread {one} of the same warp writes the same place as `{text}` here, with no `__syncwarp()` ' +
        'between them: since Volta lanes do not run in step{assuming}.',
      'two-writes-in-warp':
        'Race on `{array}`: two lanes write it in any order. Thread {other} writes `{otherText}`, thread ' +
        '{one} of the same warp writes another value to the same place as `{text}` here, with no ' +
        '`__syncwarp()` between them{assuming}.',
      'copy-in-flight':
        'Race on `{array}`: an asynchronous copy to it may not have arrived. Thread {other} starts the copy to ' +
        '`{otherText}`, thread {one} accesses the same place as `{text}` here, with no wait for the copy ' +
        'between them{assuming}.',
      'storage-reused':
        '`{array}` is used again without a barrier. `{text}` passes values through it after `{otherText}`: CUB asks ' +
        'for `__syncthreads()` before temporary storage is used again{assuming}.',
    },
    example: { text: 's[255 - t]', other: '0', one: '255', array: 's', otherText: 's[t]', assuming: '' },
  },
  on: 'race',
  *check(fact): Generator<Finding<Message>> {
    if (fact.memory !== 'shared') return;
    const special = fact.ofCollective ? 'storage-reused' : fact.inFlight ? 'copy-in-flight' : undefined;
    const kind = kinds[fact.order];
    const inWarp = fact.scope === 'warp';
    const when = fact.again ? ' in an earlier iteration' : '';
    const { supposed, untaken } = fact;
    yield {
      at: fact.at,
      message: special ?? (inWarp ? `${kind}-in-warp` : kind),
      ...(inWarp || supposed || fact.size || untaken || fact.byData
        ? { severity: fact.volatile ? ('information' as const) : ('warning' as const) }
        : {}),
      data: raceData(fact),
      related: [{ at: fact.other.at, text: `thread ${fact.threads[0]} ${did[fact.order]} it here${when}` }],
      ...(fact.byAtomic
        ? { confirm: 'Confirm: compare the results of several runs (racecheck leaves atomics out).' }
        : {}),
      confidence: supposed || fact.size || untaken || fact.byData ? 'assumed' : 'proven',
      ...(fact.fix ? { fixes: [{ title: fact.fix.title, applicability: 'unsafe', edits: fact.fix.edits }] } : {}),
    };
  },
});
