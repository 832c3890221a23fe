// A fixed rule of thumb for the line that a reader in a hurry would change, from the text alone: the mark to beat.
//
// A line scores ten for each loop around it, times the weight of the gravest pattern on it. Names that hold
// `threadIdx.x` are followed through assignments within a function.

/** What the rule takes a line for, with the rules of the checker that mean the same. */
const patterns: readonly { readonly cause: string; readonly weight: number; readonly rules: readonly string[] }[] = [
  { cause: 'stride', weight: 32, rules: ['uncoalesced-access', 'bank-conflict'] },
  { cause: 'grid', weight: 30, rules: ['block-shape'] },
  { cause: 'allocation', weight: 20, rules: ['alloc-in-loop'] },
  { cause: 'math', weight: 16, rules: ['slow-math'] },
  { cause: 'atomic', weight: 16, rules: ['atomic-contention'] },
  { cause: 'wait', weight: 10, rules: ['sync-in-loop'] },
  { cause: 'gather', weight: 8, rules: ['uncoalesced-access', 'local-array'] },
  { cause: 'barrier', weight: 8, rules: ['shared-sweep-reduction'] },
  { cause: 'division', weight: 4, rules: ['slow-math'] },
  { cause: 'access', weight: 1, rules: ['uncoalesced-access', 'bytes-in-flight'] },
];

export interface Guess {
  readonly line: number;
  readonly cause: string;
  readonly rules: readonly string[];
  readonly score: number;
}

/** Whether the text has the pattern in a kernel, or on the host. */
function hasPattern(cause: string, text: string, lane: string, onDevice: boolean): boolean {
  const test = (pattern: string): boolean => new RegExp(pattern).test(text);
  if (!onDevice) {
    if (cause === 'grid')
      return test('<<<\\s*(?:1|\\w+\\s*/\\s*\\w+)\\s*,|<<<[^,]*,\\s*(?:[1-9]|[12]\\d|3[01])\\s*[,>]');
    return cause === 'allocation' ? test('cudaMalloc|cudaFree') : cause === 'wait' && test('cuda\\w*Synchronize');
  }
  switch (cause) {
    case 'stride':
      return test(
        `\\[[^\\]]*(?:${lane})\\)?\\s*\\*\\s*(?!blockDim)\\w|\\[[^\\]]*\\w\\s*\\*\\s*\\(?(?:${lane})|\\[(?:${lane})\\]\\s*\\[`,
      );
    case 'math':
      return test('\\b(?:pow|exp|log|sin|cos|tan)\\(');
    case 'atomic':
      return test('\\batomic\\w+\\(');
    case 'gather':
      return test('\\w\\[\\s*\\w+\\[');
    case 'barrier':
      return test('__syncthreads');
    case 'division':
      return test('[\\w)\\]]\\s*[/%]=?\\s*[\\w(]');
    default:
      return cause === 'access' && test('\\w\\[');
  }
}

/** The lines of a source by the rule, the first the one that it would name alone. */
export function thumbGuesses(source: string): readonly Guess[] {
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  const lines = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"/g, blank).split('\n');
  const guesses: Guess[] = [];
  let [depth, onDevice, lanes] = [0, false, ['threadIdx\\.x']];
  let loops: number[] = [];
  lines.forEach((text, at) => {
    if (depth === 0 && /__(?:global|device)__/.test(text)) [onDevice, lanes] = [true, ['threadIdx\\.x']];
    const assigned = /\b(\w+)\s*=(?!=)([^;]*)/.exec(text);
    if (assigned && new RegExp(`\\b(?:${lanes.join('|')})\\b`).test(assigned[2]!)) lanes.push(assigned[1]!);
    if (/\b(?:for|while)\s*\(/.test(text)) loops.push(depth);
    const lane = `\\b(?:${lanes.join('|')})\\b`;
    const found = patterns.find(({ cause }) => hasPattern(cause, text, lane, onDevice));
    if (found && depth > 0)
      guesses.push({ line: at + 1, cause: found.cause, rules: found.rules, score: found.weight * 10 ** loops.length });
    depth += text.split('{').length - text.split('}').length;
    // A loop ends with its block, or with the first statement if it has none.
    loops = loops.filter((outer) => depth > outer || (/\b(?:for|while)\s*\(/.test(text) && !/[;}]\s*$/.test(text)));
    if (depth === 0 && text.includes('}')) onDevice = false;
  });
  return guesses.sort((a, b) => b.score - a.score || a.line - b.line);
}
