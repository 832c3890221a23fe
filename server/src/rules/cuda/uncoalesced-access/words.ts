// The messages of cuda/uncoalesced-access.
export const messages = {
  stride:
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {stride} apart: ' +
    '{sectors} sectors instead of {ideal}{assuming}.',
  'unknown-stride':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {unknown} apart ' +
    '(value unknown): {sectors} sectors instead of {ideal}{assuming}.',
  'chunk-per-thread':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread reads its own chunk, so the ' +
    'lanes of a warp are a chunk apart: {sectors} sectors instead of {ideal}{assuming}. In a ' +
    'grid-stride loop neighbouring threads take neighbouring elements.',
  'row-per-thread':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread walks its own row or ' +
    'chunk, so the lanes of a warp are that far apart: {sectors} sectors instead of {ideal}{assuming}. Give each row ' +
    'to a warp, or store the array transposed.',
  'slow-axis':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `threadIdx.x` runs along the slow axis, ' +
    'so neighbouring lanes are a row apart: {sectors} sectors instead of {ideal}{assuming}.',
  'struct-field':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread touches one field of its ' +
    'structure, {stride} from the next: {sectors} sectors instead of {ideal}{assuming}. A structure of ' +
    'arrays makes the fields contiguous.',
  'vector-type':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `{type}` moves in several {bytes}-byte ' +
    'instructions, each with its lanes {stride} apart: {sectors} sectors instead of {ideal}{assuming}. ' +
    'A type aligned to 8 or 16 bytes moves in one.',
  'whole-struct':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread moves its own structure in ' +
    'several {bytes}-byte instructions whose lanes are {stride} apart: {sectors} sectors instead of ' +
    '{ideal}{assuming}. A structure of arrays makes the fields contiguous.',
  'narrow-block':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The block is narrower than a warp, so a ' +
    'warp spans several rows: {sectors} sectors instead of {ideal}{assuming}. A block at least 32 ' +
    'threads wide keeps a warp on one row.',
  'short-rows':
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The lanes of a warp touch several short ' +
    'pieces, a row apart: {sectors} sectors instead of {ideal}{assuming}.',
  scattered:
    'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring lanes do not touch ' +
    'neighbouring elements: {sectors} sectors instead of {ideal}{assuming}.',
  masked:
    'Sparse {access} `{array}`: {ratio} sectors{share}. Data decide which lanes are active, as few as one of each ' +
    'sector: {sectors} sectors whose used bytes fit in {ideal}{assuming}. Where few lanes are active, collect their ' +
    'elements first.',
  gather:
    'Scattered {access} `{array}`: up to {most} sectors instead of {ideal}. The index `{index}` is {origin} ' +
    'and differs between lanes, so the cost depends on the data.',
};

export type Message = keyof typeof messages;
