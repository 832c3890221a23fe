// The messages of acc/vector-length.
export const messages = {
  'idle-lanes':
    '{trips} for {length} vector lanes: {needed} would do. The loop over `{loop}` is that short ' +
    'because {why}: {waste}.',
  'not-warps':
    'Vector length {length} is not a multiple of 32. {idle} of {lanes} lanes are idle, and GCC runs 32 ' + 'instead.',
  'too-large': 'Vector length {length} exceeds 1024, the most threads of a gang. An NVIDIA GPU cannot launch it.',
};
