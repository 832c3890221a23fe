// A comparison of two versions as text for a terminal and as Markdown for a comment on a pull request.
import { styleText } from 'node:util';
import type { Comparison, FindingChange, KernelChange } from '../../../server/src/comparison/compare';
import type { Breach } from '../../../server/src/comparison/gate';
import { cleanName } from '../terminalText';
import type { ResourcesOf } from './resources';
import { accessText, isWorse, metricRows, reasonsOf, changeVerdict } from './words';

export interface Told {
  readonly comparison: Comparison;
  readonly breaches: readonly Breach[];
  readonly resourcesOf: ResourcesOf;
  readonly labels: { readonly before: string; readonly after: string };
  readonly summary: string;
  /** Sentences on omitted parts. */
  readonly notes: readonly string[];
}

/** Accesses shown of one kernel; the others are counted. */
const mostAccesses = 6;
const mostFindings = 40;

export function textOfDiff({ comparison, breaches, resourcesOf }: Told, colour: boolean): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(format, text, { validateStream: false }) : text;
  const kernel = (change: KernelChange): string => {
    const { after } = change;
    const rows = metricRows(change, resourcesOf(change));
    const width = Math.max(...rows.map(({ name }) => name.length), 0);
    const verdict = style(isWorse(change) ? 'yellow' : 'green', changeVerdict(change));
    return [
      `${style('bold', `${cleanName(after.at.path)}:${after.at.line}:`)} ${cleanName(after.signature)} ${verdict}`,
      ...rows.map(
        (row) =>
          `    ${row.name.padEnd(width)}  ${row.before} → ${row.after}${row.ratio === '' ? '' : `  (${row.ratio})`}`,
      ),
      ...reasonsOf(change).map((reason) => style('gray', `    ${cleanName(reason)}`)),
      ...change.accesses.slice(0, mostAccesses).map((access) => {
        const { at } = (access.after ?? access.before)!;
        const place = `${cleanName(at.path)}:${at.line}:${at.column}${access.after ? '' : ' (before)'}`;
        return `    ${place} ${cleanName(accessText(access, change.unit))}`;
      }),
      ...(change.accesses.length > mostAccesses
        ? [`    and ${change.accesses.length - mostAccesses} more accesses`]
        : []),
    ].join('\n');
  };
  const colours = { error: 'red', warning: 'yellow', information: 'cyan', hint: 'gray' } as const;
  const finding = ({ before, after: { at, finding: now } }: FindingChange): string => {
    const place = style('bold', `${cleanName(at.path)}:${at.line}:${at.column}:`);
    const severity = style(colours[now.severity], `${now.severity}${was(before)}:`);
    return [
      `${place} new ${severity} ${cleanName(now.text)} ${style('gray', `[${now.rule}]`)}`,
      ...now.fixes.map((fix) => `    ${style('green', `fix (${fix.applicability}):`)} ${cleanName(fix.title)}`),
    ].join('\n');
  };
  return [
    ...comparison.changed.map(kernel),
    ...comparison.findings.slice(0, mostFindings).map(finding),
    ...(comparison.findings.length > mostFindings
      ? [`and ${comparison.findings.length - mostFindings} more new findings`]
      : []),
    ...breaches.map(({ sentence }) => `${style('red', 'gate:')} ${cleanName(sentence)}`),
  ].join('\n');
}

function was(before: FindingChange['before']): string {
  return before ? ` (was ${before.finding.severity})` : '';
}

/** Text in a table or between other words: nothing in it is markup. */
function plain(text: string): string {
  return cleanName(text).replace(/[\\|*_<>[\]#~]/g, (sign) => `\\${sign}`);
}
/** Code keeps its signs; a backtick would end it. */
function code(text: string): string {
  return `\`${cleanName(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

const mostRows = 20;

export function markdownOfDiff({ comparison, breaches, resourcesOf, labels, summary, notes }: Told): string {
  const { changed, findings } = comparison;
  const lines = [
    `### Warplens: ${plain(labels.before)} → ${plain(labels.after)}`,
    '',
    breaches.length > 0
      ? `**The gate fails.**\n\n${breaches.map(({ sentence }) => `- ${plain(sentence)}`).join('\n')}\n`
      : '',
    plain(summary),
    '',
  ];
  if (changed.length > 0) {
    lines.push('| kernel | figure | before | after | |', '|---|---|--:|--:|--:|');
    for (const change of changed.slice(0, mostRows)) {
      const { at, name } = change.after;
      const kernel = `${code(name)} ${plain(`${at.path}:${at.line}`)}`;
      metricRows(change, resourcesOf(change)).forEach((row, index) => {
        const cells = [index === 0 ? kernel : '', row.name, row.before, row.after, row.ratio];
        lines.push(`| ${cells.join(' | ')} |`);
      });
    }
    lines.push('');
    for (const change of changed.slice(0, mostRows)) {
      const said = [
        ...reasonsOf(change).map(plain),
        ...change.accesses.slice(0, mostAccesses).map((access) => {
          const { at } = (access.after ?? access.before)!;
          // What is between backticks is code already.
          return `${plain(`${at.path}:${at.line}`)} ${cleanName(accessText(access, change.unit))}`;
        }),
      ];
      if (said.length > 0) lines.push(`- ${code(change.after.name)}`, ...said.map((each) => `  - ${each}`));
    }
    if (changed.length > mostRows) lines.push(`- and ${changed.length - mostRows} more kernels`);
    lines.push('');
  }
  if (findings.length > 0) {
    lines.push('New findings:', '');
    for (const { after, before } of findings.slice(0, mostFindings)) {
      const { finding, at } = after;
      const fix = finding.fixes[0] ? `; fix: ${plain(finding.fixes[0].title)}` : '';
      const rule = `[${finding.rule}](${finding.docsUrl})`;
      const said = `${plain(`${at.path}:${at.line}`)} ${plain(finding.text)} ${rule}${fix}`;
      lines.push(`- **${finding.severity}**${was(before)} ${said}`);
    }
    if (findings.length > mostFindings) lines.push(`- and ${findings.length - mostFindings} more`);
    lines.push('');
  }
  for (const note of notes) lines.push(`_${plain(note)}_`, '');
  lines.push('_Predicted from the text, without a GPU; sectors and wavefronts as Nsight Compute counts them._');
  return lines.filter((line, at) => !(line === '' && lines[at - 1] === '')).join('\n');
}
