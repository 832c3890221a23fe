// The words of acc/vector-length: its page and its messages.
import type { RuleMeta } from '../../rule';

export const docs: RuleMeta['docs'] = {
  what:
    'By default nvc and nvfortran run a vector loop on 128 lanes; `vector_length(n)` on a parallel ' +
    'construct and `vector(n)` on a loop of a kernels construct change that. The rule compares the ' +
    'length with a bound on the trip count: constants, `min` in the bounds, array extents, row lengths ' +
    'of a compressed matrix (from the code that fills the row offsets), or a comment `// warplens: ' +
    'trip <= 27` above the loop. Compiler feedback, if present, replaces the assumed length.',
  why:
    "A gang's lanes are occupied until its longest one ends. With rows of 27 entries 101 of 128 lanes " +
    'do nothing: on an H200 the sparse product of a conjugate-gradient solver took 48.6 ms on 128 ' +
    'lanes and 2.47 ms on 32 (GCC 12 with offloading).',
  whenNot:
    'Silent where no bound is known, where another vector loop of the kernel needs the longer vector, ' +
    'where one loop has gangs and lanes, where workers share the vector loop, and where the trip count ' +
    "is a constant in the loop's bounds: the compiler then chooses the length.",
  fix:
    'Sets the smallest multiple of 32 that holds the trip count: `vector_length(32)` on a parallel ' +
    'construct (adding `vector` to the loop), `loop vector(32)` in a kernels construct. A second fix limits it ' +
    'to `device_type(nvidia)`: unsafe unless the build uses nvc or the file has `device_type`, since GCC 12 does ' +
    'not compile that; first in files for several devices. Only the order of floating-point sums changes.',
  references: [
    {
      title: 'OpenACC Programming and Best Practices Guide, Optimize Loops',
      url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/06-Loops.html',
    },
    {
      title: 'OpenACC 3.3, 2.9 Loop Construct',
      url: 'https://www.openacc.org/sites/default/files/inline-images/Specification/OpenACC-3.3-final.pdf',
    },
  ],
};

export const messages = {
  'idle-lanes':
    '{trips} for {length} vector lanes: {needed} would do. The loop over `{loop}` is that short ' +
    'because {why}: {waste}.',
  'not-warps':
    'Vector length {length} is not a multiple of 32. {idle} of {lanes} lanes are idle, and GCC runs 32 ' + 'instead.',
  'too-large': 'Vector length {length} exceeds 1024, the most threads of a gang. An NVIDIA GPU cannot launch it.',
};
