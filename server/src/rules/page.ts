// The page of a rule as Markdown, from what the rule says of itself and what was measured.
import measured from '../../../docs/measurements/h200-rule-pairs.json';
import type { RuleMeta } from './rule';

interface Pair { readonly rule: string; readonly before: string; readonly after: string; readonly gain: number; readonly note?: string }

/** Pairs of kernels measured for a rule, in the order of the file. */
export function measuredPairs(id: string): readonly Pair[] { return (measured.pairs as readonly Pair[]).filter((pair) => pair.rule === id); }

export const measuredOn = { gpu: measured.gpu, cuda: measured.cuda, method: measured.method };

const fixableText = { safe: 'safe fixes', unsafe: 'fixes that may change results or resources', both: 'safe fixes, and fixes that may change results or resources', no: 'no automatic fix' };

/** Ends with a line break. */
export function rulePage(meta: RuleMeta): string {
  const lines = [
    `# ${meta.id}`, '', meta.summary, '',
    `*${meta.severity}* · ${fixableText[meta.fixable]} · since ${meta.since}`, '',
    '## What it finds', '', meta.docs.what, '',
    '## Why it matters', '', meta.docs.why, '',
  ];
  const pairs = measuredPairs(meta.id);
  if (pairs.length > 0) {
    lines.push('## Measured', '', `${measured.gpu}, CUDA ${measured.cuda}, ${measured.method}.`, '', '| before | after | gain |', '|---|---|---|');
    for (const pair of pairs) lines.push(`| ${pair.before} | ${pair.after} | ${gainText(pair)} |`);
    lines.push('');
  }
  lines.push('## When it is silent, and when not to follow it', '', meta.docs.whenNot, '');
  if (meta.docs.fix) lines.push('## Fixes', '', meta.docs.fix, '');
  lines.push('## Messages', '');
  for (const [id, text] of Object.entries(meta.messages)) lines.push(`- \`${id}\`: ${text.replace(/\{assuming\}/g, '').replace(/\{(\w+)\}/g, '⟨$1⟩')}`);
  lines.push('');
  const options = Object.entries(meta.options ?? {});
  if (options.length > 0) {
    lines.push('## Options', '', '| option | type | default | |', '|---|---|---|---|');
    for (const [name, option] of options) lines.push(`| \`${name}\` | ${option.type} | \`${String(option.default)}\` | ${option.description} |`);
    lines.push('');
  }
  if (meta.evidence) {
    lines.push('## How a profile confirms it', '', `Nsight Compute, on the line: \`${meta.evidence.metric}\`${meta.evidence.against ? ` against \`${meta.evidence.against}\`` : ''}; bad when ${meta.evidence.badWhen}.`, '');
  }
  lines.push('## Silence it', '', '```cuda', `// warplens-ignore-next-line ${meta.id}: the reason`, '```', '');
  lines.push('## References', '', ...meta.docs.references.map(({ title, url }) => `- [${title}](${url})`), '');
  return lines.join('\n');
}

function gainText(pair: Pair): string { return `${pair.gain}×${pair.note ? ` (${pair.note})` : ''}`; }
