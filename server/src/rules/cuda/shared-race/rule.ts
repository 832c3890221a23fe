// cuda/shared-race: two threads of a block meet at one place of shared memory with no barrier between them.
import { defineRule, type Finding } from '../../rule';
import { assuming, excerpt } from '../../wording';

type Message =
  | 'unseen-write'
  | 'overwritten'
  | 'two-writes'
  | 'unseen-write-in-warp'
  | 'overwritten-in-warp'
  | 'two-writes-in-warp';

const kinds = { 'store-load': 'unseen-write', 'load-store': 'overwritten', 'store-store': 'two-writes' } as const;
const did = { 'store-load': 'writes', 'load-store': 'reads', 'store-store': 'writes' } as const;

export default defineRule<'race', Message>({
  meta: {
    id: 'cuda/shared-race',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'Two threads at one place of shared memory, one of them writing, with no barrier between them.',
    docs: {
      what:
        'Runs the kernel thread by thread for the blocks that its launches in sight have, and reports two ' +
        'accesses of shared memory between the same barriers by which two threads come to one place, when one of ' +
        'them writes and they do not write the same value: an error where the threads are of different warps. Two ' +
        'lanes of one warp that no `__syncwarp()` orders are a warning (the unrolled tail of a reduction), and an ' +
        'information through `volatile`. Where no launch in sight fixes a block of one dimension, what blocks of 64, ' +
        '128 and 256 threads all show between their warps is a warning. The finding stands at the later of the two ' +
        'accesses, and names the other and two threads that show it.',
      why:
        'Which of the two threads comes first differs from run to run and from GPU to GPU. Warps of a block run ' +
        'in any order between its barriers, and since Volta the lanes of a warp do as well: what an older GPU ran ' +
        'in step may come apart.',
      whenNot:
        'Silent wherever a place, a value or which threads come hangs on data, where no launch in sight fixes a ' +
        'block of two or three dimensions, or the kernel has no barrier at all, across calls whose body is out of ' +
        'sight, inline assembly, groups that are smaller than a warp and asynchronous copies, and on atomics.',
      fix:
        'Inserts `__syncthreads();`, or `__syncwarp();` where the two threads are of one warp, at the nearest ' +
        'place that all of them come to; offered where the model, run with it, shows the race gone. Unsafe, since ' +
        'a barrier costs time and the mistake may be the index instead. By hand: move the barrier out of code ' +
        'that parts the threads, read into a register in front of it, or use two buffers in turn.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Synchronization Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#synchronization-functions',
        },
        {
          title: 'Compute Sanitizer, racecheck',
          url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#racecheck-tool',
        },
        {
          title: 'Using CUDA Warp-Level Primitives',
          url: 'https://developer.nvidia.com/blog/using-cuda-warp-level-primitives/',
        },
      ],
    },
    messages: {
      'unseen-write':
        '`{text}` may read before another warp has written. Thread {other} writes this place of `{array}` at ' +
        '`{otherText}`, thread {one} reads it here, and no `__syncthreads()` stands between them{assuming}.',
      overwritten:
        '`{text}` may overwrite what another warp has yet to read. Thread {other} reads this place of `{array}` ' +
        'at `{otherText}`, thread {one} writes it here, and no `__syncthreads()` stands between them{assuming}.',
      'two-writes':
        '`{text}` is written by two warps in no order. Thread {other} writes this place of `{array}` at ' +
        '`{otherText}`, thread {one} another value here, and no `__syncthreads()` stands between them{assuming}.',
      'unseen-write-in-warp':
        '`{text}` may read before another lane has written. Thread {other} writes this place of `{array}` at ' +
        '`{otherText}`, thread {one} of the same warp reads it here, and no `__syncwarp()` stands between them: ' +
        'since Volta lanes do not run in step.',
      'overwritten-in-warp':
        '`{text}` may overwrite what another lane has yet to read. Thread {other} reads this place of `{array}` ' +
        'at `{otherText}`, thread {one} of the same warp writes it here, and no `__syncwarp()` stands between ' +
        'them: since Volta lanes do not run in step.',
      'two-writes-in-warp':
        '`{text}` is written by two lanes in no order. Thread {other} writes this place of `{array}` at ' +
        '`{otherText}`, thread {one} of the same warp another value here, and no `__syncwarp()` stands between ' +
        'them.',
    },
    example: { text: 's[255 - t]', other: '0', one: '255', array: 's', otherText: 's[t]', assuming: '' },
  },
  on: 'race',
  *check(fact): Generator<Finding<Message>> {
    const kind = kinds[fact.order];
    const inWarp = fact.scope === 'warp';
    const otherText = excerpt(fact.other.text, 40);
    const when = fact.again ? ' in an earlier iteration' : '';
    const { supposed } = fact;
    const block = supposed && ({ kind: 'block', block: supposed, origin: 'guessed' } as const);
    yield {
      at: fact.at,
      message: inWarp ? `${kind}-in-warp` : kind,
      ...(inWarp || supposed ? { severity: fact.volatile ? ('information' as const) : ('warning' as const) } : {}),
      data: {
        text: excerpt(fact.text, 40),
        array: fact.array,
        other: fact.threads[0],
        one: fact.threads[1],
        otherText,
        assuming: assuming(block ? [block] : []),
      },
      related: [{ at: fact.other.at, text: `thread ${fact.threads[0]} ${did[fact.order]} it here${when}` }],
      confidence: block ? 'assumed' : 'proven',
      ...(fact.fix ? { fixes: [{ title: fact.fix.title, applicability: 'unsafe', edits: fact.fix.edits }] } : {}),
    };
  },
});
