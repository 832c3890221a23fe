// The messages of cuda/divergent-branch.
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
