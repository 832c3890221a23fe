// acc/block-limit: more workers times vector lanes than a thread block holds.
import { defineRule } from '../../rule';

export default defineRule<'acc-block', 'too-many-threads'>({
  meta: {
    id: 'acc/block-limit',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'safe',
    summary: 'Workers times vector lanes exceed the 1024 threads of a block.',
    docs: {
      what:
        'A gang becomes a thread block of `num_workers` × `vector_length` threads, and a block of an ' +
        'NVIDIA GPU holds at most 1024. The rule multiplies the constants in the clauses for NVIDIA ' +
        'devices.',
      why:
        'The launch cannot run as written. GCC reduces the numbers silently at run time; other compilers ' +
        'refuse to compile or to launch.',
      whenNot:
        'Silent where one of the numbers is a run-time value or is not written, and for clauses of another ' +
        '`device_type`.',
      fix: 'Reduces the number of workers to what the vector length leaves.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Technical Specifications per Compute Capability',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications-technical-specifications-per-compute-capability',
        },
      ],
    },
    messages: {
      'too-many-threads':
        '{threads} threads per gang: the launch fails. {workers} workers × {length} vector lanes exceed ' +
        'the 1024 threads of a block on an NVIDIA GPU.',
    },
    example: { workers: 16, length: 128, threads: 2048 },
  },
  on: 'acc-block',
  *check(fact) {
    yield {
      at: fact.at,
      message: 'too-many-threads',
      confidence: 'proven',
      data: { workers: fact.workers, length: fact.vectorLength, threads: fact.workers * fact.vectorLength },
      related: fact.vectorAt ? [{ at: fact.vectorAt, text: 'the vector length is set here' }] : [],
      fixes: fact.clamped
        ? [{ title: fact.clamped.fix.title, applicability: 'safe', edits: fact.clamped.fix.edits }]
        : [],
    };
  },
});
