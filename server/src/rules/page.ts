// The page of a rule as Markdown, from what the rule says of itself and what was measured.
import fixes from '../../../docs/measurements/h200-fixes.json';
import measured from '../../../docs/measurements/h200-rule-pairs.json';
import { openaccMeasured } from './openaccFigures';
import type { RuleMeta } from './rule';

interface Pair {
  readonly rule: string;
  readonly before: string;
  readonly after: string;
  readonly gain: number;
  readonly note?: string;
}

const timelineMetrics = {
  idle: 'the time that the GPU idles meanwhile',
  time: 'the time in them',
  calls: 'their number',
  bytes: 'the bytes that they copy',
  pageable: 'the bytes of pageable memory',
  span: 'the time of the run',
} as const;

/** Pairs of kernels measured for a rule, in the order of the file. */
export function measuredPairs(id: string): readonly Pair[] {
  return (measured.pairs as readonly Pair[]).filter((pair) => pair.rule === id);
}

/** A sample before and after what a fix of the editor, or a hand, made of it; times in milliseconds. */
export interface MeasuredFix {
  readonly rule?: string;
  readonly sample: string;
  readonly change: string;
  readonly note?: string;
  readonly before: number;
  readonly after: number;
  readonly results: string;
}

export const measuredFixes = fixes.pairs as readonly MeasuredFix[];

/** How many times faster, with two digits after the point as far as they mean something. */
export function gainOf({ before, after }: MeasuredFix): string {
  const gain = before / after;
  return `${gain >= 100 ? Math.round(gain) : gain >= 10 ? gain.toFixed(1) : gain.toFixed(2)}×`;
}

const fixableText = {
  safe: 'safe fixes',
  unsafe: 'fixes that may change results or resources',
  both: 'safe fixes, and fixes that may change results or resources',
  no: 'no automatic fix',
};

/** Ends with a line break. */
export function rulePage(meta: RuleMeta): string {
  const lines = [
    `# ${meta.id}`,
    '',
    meta.summary,
    '',
    `*${meta.severity}* · ${fixableText[meta.fixable]} · since ${meta.since}`,
    '',
    '## What it finds',
    '',
    meta.docs.what,
    '',
    '## Why it matters',
    '',
    meta.docs.why,
    '',
  ];
  const pairs = measuredPairs(meta.id);
  if (pairs.length > 0) {
    lines.push(
      '## Measured',
      '',
      `${measured.gpu}, CUDA ${measured.cuda}, ${measured.method}.`,
      '',
      '| before | after | gain |',
      '|---|---|---|',
    );
    for (const pair of pairs) lines.push(`| ${pair.before} | ${pair.after} | ${gainText(pair)} |`);
    lines.push('');
  }
  const ofFixes = measuredFixes.filter(({ rule }) => rule === meta.id);
  if (ofFixes.length > 0) {
    if (pairs.length === 0) lines.push('## Measured', '');
    lines.push(
      'Samples before and after a fix ([all](../../measurements/h200-fixes.md)); gains below 1.1× are noise.',
      '',
      '| sample | change | before (ms) | after (ms) | gain |',
      '|---|---|---|---|---|',
    );
    for (const fix of ofFixes)
      lines.push(
        `| ${fix.sample} | ${fix.change}${fix.note ? ` (${fix.note})` : ''} | ${fix.before} | ` +
          `${fix.after} | ${gainOf(fix)} |`,
      );
    lines.push('');
  }
  const ofOpenacc = openaccMeasured(meta.id);
  if (ofOpenacc.length > 0) lines.push('## Measured', '', ...ofOpenacc);
  lines.push('## When it is silent', '', meta.docs.whenNot, '');
  if (meta.docs.fix) lines.push('## Fixes', '', meta.docs.fix, '');
  lines.push('## Messages', '');
  for (const [id, text] of Object.entries(meta.messages))
    lines.push(`- \`${id}\`: ${firstSentence(exampleOf(text, meta.example))}`);
  lines.push('');
  const options = Object.entries(meta.options ?? {});
  if (options.length > 0) {
    lines.push('## Options', '', '| option | type | default | |', '|---|---|---|---|');
    for (const [name, option] of options)
      lines.push(`| \`${name}\` | ${option.type} | \`${String(option.default)}\` | ${option.description} |`);
    lines.push('');
  }
  if (meta.evidence) {
    const { metric, against, badWhen, noneWhen, of, messages } = meta.evidence;
    const named = (names: string): string =>
      names
        .split(' + ')
        .map((name) => `\`${name}\``)
        .join(' + ');
    const conditions = badWhen + (noneWhen ?? '');
    const meant = [
      ...(/\bthreads\b/.test(conditions)
        ? ['`threads` are those of 32 that are active in an instruction on average']
        : []),
      ...(/\bblock\b/.test(conditions) ? ['`block` is the number of threads in a block'] : []),
    ];
    lines.push(
      '## How a profile confirms it',
      '',
      `Nsight Compute, ${of ? readFrom[of] : 'on the line'}: ` +
        `${named(metric)}${against ? ` against ${named(against)}` : ''}${messages ? ` (for ${messages.map((id) => `\`${id}\``).join(', ')})` : ''}. ` +
        `Confirmed when \`${badWhen}\`, refuted when ` +
        `${noneWhen ? `\`${noneWhen}\`` : 'not'}${meant.map((one) => `; ${one}`).join('')}.`,
      '',
    );
  }
  if (meta.timeline) {
    const { metric, against = 'span', badWhen, noneWhen } = meta.timeline;
    lines.push(
      '## How a timeline confirms it',
      '',
      `Nsight Systems (SQLite export), over the calls of this line: \`metric\` is ${timelineMetrics[metric]}, ` +
        `\`against\` ${timelineMetrics[against]}. Confirmed when \`${badWhen}\`, refuted when ` +
        `${noneWhen ? `\`${noneWhen}\`` : 'not'}.`,
      '',
    );
  }
  lines.push('## References', '', ...meta.docs.references.map(({ title, url }) => `- [${title}](${url})`), '');
  return lines.join('\n');
}

function exampleOf(text: string, example: RuleMeta['example']): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name] ?? ''));
}

function firstSentence(text: string): string {
  return /^.*?[.?](?= |$)/.exec(text)?.[0] ?? text;
}

const readFrom = {
  kernel: 'over the launches of the kernel with such blocks',
  occupancy: 'in the longest launch of the kernel that its lines are in',
  lines: 'on the line',
} as const;

function gainText(pair: Pair): string {
  return `${pair.gain}×${pair.note ? ` (${pair.note})` : ''}`;
}
