// The words of cuda/divergent-branch: its page and its messages.
import type { RuleMeta } from '../../rule';

export const docs: RuleMeta['docs'] = {
  what:
    'The lanes of a warp share one instruction stream: where they disagree about a branch, the arms ' +
    'run one after the other with part of the lanes idle, and a loop runs until its slowest lane is ' +
    'done. The rule follows which conditions vary between lanes, evaluates those that depend only on ' +
    'the thread index, and counts the lane time lost under them. A condition on loaded data has no ' +
    'figure: any part may be lost. Two short arms cost nothing, as the compiler predicates them.',
  why:
    'A parity branch with work in both arms runs at half speed. A data-dependent `if` around one ' +
    'addition ran as fast as its arithmetic form on an H200: the cost comes from loops, calls and ' +
    'memory traffic under the branch.',
  whenNot:
    'Silent for boundary guards, short work under `if (threadIdx.x == 0)`, warp-uniform conditions (`threadIdx.x / ' +
    '32`), branches that would take as many warps if their lanes agreed, short arms that do not ' +
    'both assign one variable, and inside a tree reduction (see cuda/shared-sweep-reduction).',
  fix:
    "Splits a parity test by warps where the arms need only the thread's index (unsafe: threads get " +
    'other work). By hand: sort or bin the work so that neighbouring lanes agree, or give rows of varying length to ' +
    'whole warps.',
  references: [
    {
      title: 'CUDA C++ Best Practices Guide, Branching and Divergence',
      url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#branching-and-divergence',
    },
    {
      title: 'Nsight Compute, source metrics (Divergent Branches)',
      url: 'https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#source-metrics',
    },
  ],
  measurement: 'h200-rule-pairs',
};

export const messages = {
  'lane-pattern': 'Divergent branch{lost}. `{condition}` splits every warp by its lane numbers, and {paths}{assuming}.',
  'lanes-differ': 'Divergent branch{lost}. `{condition}` differs between the lanes of a warp, and {paths}{assuming}.',
  'trip-count':
    'Divergent loop{lost}. The trip count differs between the lanes of a warp, which runs until its ' +
    'slowest lane is done{assuming}.',
  'trip-count-data':
    'Divergent loop: its trip count depends on data. `{condition}` differs between lanes, and a warp ' +
    'runs until its slowest lane is done.',
  exits:
    'Divergent loop: lanes leave it at different iterations. `{condition}` differs between them, and a ' +
    'warp runs until its last lane is done.',
  data:
    'Divergent branch: lanes may differ, depending on data. `{condition}` differs between lanes: a ' +
    'warp in which they disagree runs {work} with part of its lanes.',
  serial:
    'Serial loop: {threads} it while the others of the block wait. Share its iterations among the threads of the ' +
    'block{combine}{assuming}.',
  predicated:
    'Short divergent branch: probably predicated, at no cost. `{condition}` differs between lanes, but ' +
    'its arms are short.',
};

export type Message = keyof typeof messages;
