// acc/block-limit: more workers times vector lanes than a thread block holds.
import { defineRule } from '../../rule';

export default defineRule<'acc-block', 'too-many-threads'>({
  meta: {
    id: 'acc/block-limit',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'safe',
    summary: 'More workers times vector lanes than the 1024 threads of a block.',
    docs: {
      what: 'A gang becomes a thread block of `num_workers` × `vector_length` threads, and a block of an NVIDIA GPU holds at most 1024. The rule multiplies the constants that stand in the clauses for NVIDIA devices.',
      why: 'The launch cannot be what is written. GCC cuts the numbers down without a word at run time; others refuse to compile or to launch.',
      whenNot:
        'Silent where one of the numbers is a run-time value or is not written, and about clauses in the part of another `device_type`.',
      fix: 'The number of workers is set to what fits beside the vector length.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Technical Specifications per Compute Capability',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications-technical-specifications-per-compute-capability',
        },
      ],
    },
    messages: {
      'too-many-threads':
        '{threads} threads a gang: the launch fails. {workers} workers of {length} vector lanes are more than the 1024 threads that a block on an NVIDIA GPU holds.',
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
