// The messages of cuda/barrier-in-divergent-code.
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
