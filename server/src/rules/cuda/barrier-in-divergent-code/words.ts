// The words of cuda/barrier-in-divergent-code: its page and its messages.
import type { RuleMeta } from '../../rule';

export const docs: RuleMeta['docs'] = {
  what:
    '`__syncthreads()` in conditional code requires that the condition is the same for every thread of ' +
    'the block; a warp primitive with the mask 0xffffffff requires all 32 lanes. The rule follows how ' +
    'conditions vary between threads and reports a barrier under a condition, or after a return, that ' +
    'the participating threads do not share. It is an error where a known launch shows missing lanes; ' +
    'where sizes or data decide, the message says so and the severity is lower, as for guards at the ' +
    'end of a kernel, since exited threads count as arrived. A condition is reported once, at the ' +
    'first barrier under it. A mask that known numbers settle is compared with the lanes that come: each live ' +
    'lane that it names has to, and each caller has to be named. A shuffle from which no lane receives a ' +
    'value of one that takes part is found as well.',
  why:
    'The result is undefined: a hang, a silent race, or code that works until the next compiler or ' +
    'GPU. Since Volta the threads of a warp are scheduled independently, so formerly harmless cases ' +
    'are not.',
  whenNot:
    'Silent when the condition is uniform over the block (over the warp for warp primitives), and when ' +
    'the mask is computed. Conditions from a function that is not in the sources are at most an ' +
    'information.',
  fix:
    'Splits a guard in the kernel at its barriers (safe; unsafe at the end of a kernel, where it may cost time): ' +
    'the condition is kept in a flag, every thread reaches the barriers and the uniform loops around them, and ' +
    'only the work in between stays guarded. By hand: move the barrier out of the branch; instead of returning ' +
    'early, keep `const bool active = i < n;`. For warp primitives, use the mask of the active lanes ' +
    '(`__ballot_sync` before the branch).',
  references: [
    {
      title: 'CUDA C++ Programming Guide, Synchronization Functions',
      url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#synchronization-functions',
    },
    {
      title: 'Using CUDA Warp-Level Primitives',
      url: 'https://developer.nvidia.com/blog/using-cuda-warp-level-primitives/',
    },
    {
      title: 'Compute Sanitizer, synccheck',
      url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#synccheck-tool',
    },
  ],
};

export const messages = {
  'block-barrier':
    'Not every thread of the block reaches `{name}`. `{condition}` around it differs between the ' +
    'threads: the others never arrive.',
  'block-barrier-possible':
    'Some threads may not reach `{name}`. `{condition}` around it can differ between the threads of ' +
    'the block: then some never arrive.',
  'in-both-arms':
    '`{name}` is in both arms of a divergent branch. `{condition}` differs between the threads of the ' +
    'block. GPUs since Volta count arrivals at any barrier together if both arms have equally many; ' +
    'the language leaves it undefined.',
  'last-guard':
    'Not every thread of the block reaches `{name}`. Where `{condition}` does not hold, threads are at ' +
    'the end of the kernel: GPUs since Volta count exited threads as arrived; the language leaves it undefined.',
  'in-last-guard':
    'Some threads may not reach `{name}`. Where `{condition}` does not hold, threads of the block are ' +
    'at the end of the kernel: GPUs since Volta count exited threads as arrived; the language leaves ' +
    'it undefined.',
  'warp-primitive':
    'Not all 32 lanes of its mask reach `{name}`. `{condition}` around it differs between the lanes of ' + 'a warp.',
  'warp-primitive-possible':
    'Some lanes of its mask may not reach `{name}`. `{condition}` around it can differ between the ' +
    'lanes of a warp.',
  'after-return':
    '`{name}` comes after threads have returned. They return where `{condition}` holds: GPUs since ' +
    'Volta count exited threads as arrived; the language leaves it undefined.',
  'after-return-possible':
    '`{name}` may come after threads have returned. They return where `{condition}` holds: GPUs since ' +
    'Volta count exited threads as arrived; the language leaves it undefined.',
  'lanes-returned':
    '`{name}` names lanes that have returned. They return where `{condition}` holds, but the mask ' +
    'names all 32: their values are undefined.',
  'lanes-returned-possible':
    '`{name}` may name lanes that have returned. They return where `{condition}` holds, but the mask ' +
    'names all 32: where a warp straddles the condition, their values are undefined.',
  'lanes-absent':
    'Not all lanes of its mask reach `{name}`. The mask `{mask}` names lane {lane}, which is elsewhere: ' +
    'the result is undefined.',
  'caller-unnamed':
    'A lane calls `{name}` that its mask does not name. Lane {lane} passes `{mask}`: a caller has to be ' +
    'in its mask, or the result is undefined.',
  'source-inactive':
    'No lane receives a defined value from `{name}`. Lane {lane} asks for the value of lane {source}, ' +
    'which takes no part in the call.',
};
