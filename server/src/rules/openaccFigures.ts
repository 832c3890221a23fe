// What the OpenACC rules were worth on an H200, out of what test/gpu/openacc.sh wrote there: the part of a rule's page,
// and a page of all.
import measured from '../../../docs/measurements/h200-openacc.json';

interface Stage {
  readonly language: string;
  readonly stage: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly result: number;
}
interface Kernel {
  readonly kernel: string;
  readonly milliseconds: number;
  readonly block: number;
  readonly grid: number;
  readonly occupancy: number;
}
interface Pattern {
  readonly rule: string;
  readonly before: number;
  readonly after: number;
  readonly results: string;
}
interface Sample {
  readonly sample: string;
  readonly time: number | null;
}
interface Example {
  readonly pair: string;
  readonly before: string;
  readonly after: string;
  readonly beforeAndAfter: string;
  readonly withoutDirectives: string;
}
interface Figures {
  readonly gpu: string;
  readonly driver: string;
  readonly cuda: string;
  readonly gcc: string;
  readonly date: string;
  readonly command: string;
  readonly product: readonly Stage[];
  readonly profile: readonly Kernel[];
  readonly patterns: readonly Pattern[];
  readonly samples: readonly Sample[];
  readonly pairs: readonly Example[];
  /** What has to be known of single figures. */
  readonly notes: readonly { readonly of: 'product' | 'pairs'; readonly text: string }[];
}
const figures = measured as Figures;
const on =
  `${figures.gpu}, CUDA ${figures.cuda}, GCC ${figures.gcc} with its offload to NVIDIA GPUs ` +
  `(sm_80), ${figures.date}`;

const stageNames: Readonly<Record<string, string>> = {
  vector128: 'gangs of rows, `vector_length(128)`',
  vector32: '`vector_length(32)`',
  workers1: '`gang worker num_workers(1)`',
  workers2: '`num_workers(2)`',
  workers4: '`num_workers(4)`',
  workers8: '`num_workers(8)`',
  workers16: '`num_workers(16)`',
  workers32: '`num_workers(32)`',
};
const patternNames: Readonly<Record<string, readonly [string, string]>> = {
  'acc/data-clause': ['an input and an output of 128 MB each, both in `copy`', '`copyin` and `copyout`'],
  'acc/update-in-loop': ['`update self` of 128 MB on each of ten iterations', 'once behind the loop'],
  'acc/missing-data-region': [
    'a region with two arrays of 128 MB on each of ten iterations',
    'a data region around the loop',
  ],
  'acc/missing-collapse': ['gangs for 16 planes, `seq` for their 1024 rows', '`gang collapse(2)`'],
  'acc/missing-mapping': [
    '`gang vector` on 4096 rows, none on their 4096 elements',
    '`gang` on the rows, `vector` on the elements',
  ],
  'acc/uncoalesced-vector': ['the vector loop down the columns of a matrix of 4096 × 4096', 'along its rows'],
  'acc/sync-in-loop': ['64 short regions, each waited for', '`async` on four queues, one `wait`'],
};
const productRules: ReadonlySet<string> = new Set(['acc/vector-length', 'acc/missing-workers']);
const sampleSteps: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  'acc/missing-data-region': [
    ['conjugate-gradient-1-naive', 'conjugate-gradient-2-data-region', 'the product of the conjugate-gradient sample'],
  ],
  'acc/uncoalesced-vector': [['stencil-2-data-region', 'stencil-3-rows', 'a step of the stencil sample']],
};

/** The lines of a rule's section "Measured"; none when nothing was measured for it. */
export function openaccMeasured(id: string): readonly string[] {
  const lines: string[] = [];
  const pairs = pairsOf(id);
  if (productRules.has(id))
    lines.push(
      'The sparse product of 8 million rows with at most 27 entries, as in ' +
        '[samples/openacc](../../../samples/openacc), by stage (median of 11):',
      '',
      ...productTable(),
      '',
      ...notesOf('product'),
    );
  if (pairs.length > 0)
    lines.push('| before | after | before (ms) | after (ms) | gain |', '|---|---|---|---|---|', ...pairs, '');
  if (lines.length === 0) return [];
  return [
    `${on}; [all figures](../../measurements/h200-openacc.md). Another compiler and another GPU give others.`,
    '',
    ...lines,
  ];
}

function notesOf(of: 'product' | 'pairs'): readonly string[] {
  return figures.notes.filter((note) => note.of === of).flatMap(({ text }) => [text, '']);
}

function pairsOf(id: string): readonly string[] {
  const row = (before: string, after: string, from: number, to: number): string =>
    `| ${before} | ${after} | ${shown(from)} | ${shown(to)} | ${gain(from, to)} |`;
  const rows = figures.patterns
    .filter(({ rule }) => rule === id)
    .map(({ rule, before, after }) =>
      row(patternNames[rule]?.[0] ?? 'before', patternNames[rule]?.[1] ?? 'after', before, after),
    );
  for (const [from, to, what] of sampleSteps[id] ?? []) {
    for (const [ending, language] of [
      ['c', 'C'],
      ['f90', 'Fortran'],
    ] as const) {
      const [before, after] = [from, to].map(
        (name) => figures.samples.find(({ sample }) => sample === `${name}.${ending}`)?.time,
      );
      if (typeof before === 'number' && typeof after === 'number')
        rows.push(
          row(
            `${what}, ${language}: \`${from.replace(/^.*?(\d)/, '$1')}\``,
            `\`${to.replace(/^.*?(\d)/, '$1')}\``,
            before,
            after,
          ),
        );
    }
  }
  return rows;
}

function productTable(): readonly string[] {
  const stages = [...new Set(figures.product.map(({ stage }) => stage))];
  const time = (stage: string, language: string): string => {
    const found = figures.product.find((each) => each.stage === stage && each.language === language);
    return found ? `${shown(found.median)}${wrong(found) ? ' (wrong sums)' : ''}` : '';
  };
  return [
    '| mapping | C (ms) | Fortran (ms) ' +
      `|${figures.profile.length > 0 ? ' kernel in C by ncu (ms) | block | occupancy |' : ''}`,
    `|---|---|---|${figures.profile.length > 0 ? '---|---|---|' : ''}`,
    ...stages.map((stage) => {
      const kernel = figures.profile.find((each) => each.kernel === stage);
      return (
        `| ${stageNames[stage] ?? stage} | ${time(stage, 'C')} | ${time(stage, 'Fortran')} ` +
        `|${figures.profile.length > 0 ? ` ${kernel ? `${shown(kernel.milliseconds)} | ${kernel.block} | ${kernel.occupancy} % |` : ' | | |'}` : ''}`
      );
    }),
  ];
}

/** A stage whose sums are not those that most stages have. */
function wrong(stage: Stage): boolean {
  const agreeing = figures.product.filter(
    ({ result }) => Math.abs(result - stage.result) <= 1e-9 * Math.abs(stage.result),
  ).length;
  return agreeing * 2 < figures.product.length;
}

/** docs/measurements/h200-openacc.md. */
export function openaccPage(): string {
  const same = figures.pairs.filter(({ beforeAndAfter }) => beforeAndAfter.startsWith('prints'));
  const meant = figures.pairs.filter(({ withoutDirectives }) => withoutDirectives.startsWith('prints'));
  const unbuilt = figures.pairs.filter(({ before }) => before === 'not built');
  const others = figures.pairs.filter((pair) => !same.includes(pair) && !unbuilt.includes(pair));
  return [
    '# OpenACC on an H200',
    '',
    `${on}, driver ${figures.driver}. Wall time of the region, median of 11, unless said ` +
      "otherwise. On a machine with GCC's offload compiler, and then on one with a GPU, this " +
      'repeats it:',
    '',
    '```',
    ...figures.command.split(' && '),
    '```',
    '',
    'The figures are in h200-openacc.json beside this page.',
    '',
    '## The sparse product',
    '',
    'Rows of at most 27 entries, 8 million of them (a cube of 200 points an edge), double ' +
      "precision. One program for all stages; each stage's result is compared.",
    '',
    ...productTable(),
    '',
    ...notesOf('product'),
    '## Pairs',
    '',
    '| rule | before | after | before (ms) | after (ms) | gain |',
    '|---|---|---|---|---|---|',
    ...Object.keys({ ...patternNames, ...sampleSteps }).flatMap((id) =>
      pairsOf(id).map((row) => `| [${id}](../rules/${id}.md) ${row}`),
    ),
    '',
    '## Samples',
    '',
    'Time of one product (a million rows) or one step (4096 × 4096 points).',
    '',
    '| sample | time (ms) |',
    '|---|---|',
    ...figures.samples.map(({ sample, time }) => `| ${sample} | ${time === null ? 'failed' : shown(time)} |`),
    '',
    '## Examples of the rules, and fixes of the samples',
    '',
    `${figures.pairs.length} pairs were run: what a rule's example is before and after its ` +
      'fixes, and what a sample is before and after each single fix. After the fix ' +
      `${meant.length} of ${figures.pairs.length} print what the program prints without ` +
      `directives; ${same.length} print the same before and after. ${unbuilt.length} cannot be ` +
      'built before the fix, since they show mistakes of form.',
    '',
    ...notesOf('pairs'),
    ...(others.length > 0
      ? [
          'Those that can be built and differ before and after:',
          '',
          '| pair | before and after | after, and without directives |',
          '|---|---|---|',
          ...others.map(
            ({ pair, beforeAndAfter, withoutDirectives }) => `| ${pair} | ${beforeAndAfter} | ${withoutDirectives} |`,
          ),
          '',
        ]
      : []),
  ].join('\n');
}

function gain(before: number, after: number): string {
  const times = before / after;
  return `${times >= 100 ? Math.round(times) : times >= 10 ? times.toFixed(1) : times.toFixed(2)}×`;
}

/** Milliseconds with three digits that mean something. */
function shown(milliseconds: number): string {
  return milliseconds >= 100
    ? String(Math.round(milliseconds))
    : milliseconds >= 10
      ? milliseconds.toFixed(1)
      : milliseconds.toFixed(milliseconds >= 1 ? 2 : 3);
}
