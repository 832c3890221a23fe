// A model as text: what the server understood of a file, to look at and to put into a report of a mistake.
import type { Span } from '../semantic/model';
import { occupancyOf, type Known } from './occupancy';
import type { Reading } from './readings';
import { unreadText } from '../rules/unreadWording';
import { conditions } from '../rules/wording';
import { kernelHead } from '../workspace/kernelHead';
import { accessClauses, blockText, branchClauses, launchClauses } from './wording';

/**
 * Kernels with their shapes, accesses and conditions in order of line, then launches and what the model could not see.
 * Lines and columns count from 1.
 */
export function modelText(reading: Reading, known: Known): string {
  const { facts, notes } = reading.model;
  const place = (at: Span): string => {
    const { line, character } = reading.lines.positionAt(at.start);
    return `${line + 1}:${character + 1}`;
  };
  const lines = [`Figures for ${reading.gpu.name} (compute capability ${reading.gpu.computeCapability.toFixed(1)})`];
  for (const kernel of facts.kernel) {
    lines.push('', `${place(kernel.nameAt)} ${kernelHead(kernel, blockText)}`);
    lines.push(...occupancyOf(known, reading, kernel, true).map((line) => `  ${line}`));
    const own = [
      ...facts.access
        .filter((access) => access.kernels.includes(kernel.name))
        .map((access) => ({
          at: access.at,
          title: `${access.space} ${access.mode}, ${access.elementBytes} B  ${access.text}`,
          clauses: [...accessClauses(access), ...conditions(access.assumed)],
        })),
      ...facts.branch
        .filter((branch) => branch.kernels.includes(kernel.name))
        .map((branch) => ({ at: branch.at, title: `${branch.form} ${branch.text}`, clauses: branchClauses(branch) })),
      ...facts.barrier
        .filter((barrier) => barrier.kernels.includes(kernel.name))
        .map((barrier) => ({
          at: barrier.at,
          title: barrier.name,
          clauses: barrier.under ? [`under ${barrier.under.text}`] : [],
        })),
    ].sort((a, b) => a.at.start - b.at.start);
    for (const { at, title, clauses } of own)
      lines.push(
        `  ${place(at).padEnd(8)} ` +
          `${title.replace(/\s+/g, ' ')}${clauses.length > 0 ? `  (${clauses.join('; ')})` : ''}`,
      );
  }
  const unread = reading.unread();
  if (unread.length > 0) lines.push('', ...unread.map((one) => `${place(one.at)} not read: ${unreadText(one)}`));
  if (facts.launch.length > 0) lines.push('');
  for (const launch of facts.launch)
    lines.push(
      `${place(launch.at)} launch of ${launch.kernelName}: ${launchClauses(launch, reading.gpu.warpSize).join(', ')}`,
    );
  if (notes.length > 0)
    lines.push(
      '',
      ...notes.map((note) => `${note.at.uri === reading.uri ? `${place(note.at)} ` : ''}note: ${note.text}`),
    );
  return `${lines.join('\n')}\n`;
}
