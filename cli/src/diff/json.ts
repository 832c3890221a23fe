// A comparison of two versions as JSON, and as findings for SARIF and code quality reports.
import { type Comparison, type KernelChange, kernelMetrics } from '../../../server/src/comparison/compare';
import type { AccessFigures, KernelFigures } from '../../../server/src/comparison/figures';
import { slowdownOf } from '../../../server/src/comparison/work';
import { type ResolvedFinding, docsUrlOf } from '../../../server/src/lint/finding';
import { unreadText } from '../../../server/src/rules/unreadWording';
import { uriOf } from '../analysis';
import { versioned } from '../terminalText';
import type { CheckedFile } from '../checkedFile';
import type { Told } from './text';
import { accessText, changeVerdict } from './words';

export function jsonOfDiff({ comparison, breaches, resourcesOf, labels, notes }: Told): string {
  const { changed, added, removed, findings, gone, pairs } = comparison;
  const place = ({ at }: { readonly at: KernelFigures['at'] }) => ({ file: at.path, line: at.line, column: at.column });
  const named = (kernel: KernelFigures) => ({ name: kernel.name, signature: kernel.signature, ...place(kernel) });
  const metricsOf = (kernel: KernelFigures) =>
    Object.fromEntries(
      kernelMetrics.flatMap((metric) => (kernel[metric] === undefined ? [] : [[metric, kernel[metric]]])),
    );
  const access = (figures: AccessFigures | undefined) => {
    if (!figures) return undefined;
    const { at, tokens: _, moved: __, loop: ___, owners: ____, first: _____, ...rest } = figures;
    return { ...place({ at }), ...rest };
  };
  return versioned(
    {
      before: labels.before,
      after: labels.after,
      comparedKernels: pairs.length,
      changedKernels: changed.map((change) => ({
        ...named(change.after),
        verdict: changeVerdict(change),
        ...(slowdownOf(change) === undefined ? {} : { slowdown: slowdownOf(change) }),
        unit: change.unit,
        before: { ...metricsOf(change.before), blocks: change.before.blocks, ...resourcesOf(change)?.before },
        after: { ...metricsOf(change.after), blocks: change.after.blocks, ...resourcesOf(change)?.after },
        edited: change.causes,
        accesses: change.accesses.map(({ before, after }) => ({ before: access(before), after: access(after) })),
      })),
      newKernels: added.map(named),
      goneKernels: removed.map(named),
      newFindings: findings.map(({ before, after }) => ({
        rule: after.finding.rule,
        severity: after.finding.severity,
        ...(before ? { severityBefore: before.finding.severity } : {}),
        ...place(after),
        text: after.finding.text,
        fixes: after.finding.fixes.map(({ title, applicability }) => ({ title, applicability })),
      })),
      unread: comparison.unread.map(({ at, ...part }) => ({ ...place({ at }), ...part, text: unreadText(part) })),
      goneFindings: gone.map((one) => ({ rule: one.finding.rule, ...place(one), text: one.finding.text })),
      gate: { passed: breaches.length === 0, breaches: breaches.map(({ sentence }) => sentence) },
      notes,
    },
    2,
  );
}

/** The pseudo-rule of accesses that cost more than before and are not findings themselves. */
export const costsMore = 'warplens/costs-more';

/**
 * New findings, and each access that asks for more than before on a line that has none, by file of the version after.
 * `textOf` gives a file's text by its absolute path.
 */
export function filesOfDiff(
  { changed, findings }: Comparison,
  absolute: (path: string) => string,
  textOf: (path: string) => string | undefined,
): readonly CheckedFile[] {
  const files = new Map<string, ResolvedFinding[]>();
  const add = (path: string, finding: ResolvedFinding): void =>
    void files.set(path, [...(files.get(path) ?? []), finding]);
  const told = new Set<string>();
  for (const { after } of findings) {
    told.add(`${after.at.path}:${after.at.line}`);
    add(after.at.path, after.finding);
  }
  for (const change of changed)
    for (const { before, after } of change.accesses) {
      if (!after || after.traffic <= (before?.traffic ?? 0) || told.has(`${after.at.path}:${after.at.line}`)) continue;
      told.add(`${after.at.path}:${after.at.line}`);
      const { path, start, end } = after.at;
      add(
        path,
        costsMoreFinding(
          change,
          uriOf(absolute(path)),
          start,
          end,
          accessText({ ...(before ? { before } : {}), after }, change.unit),
        ),
      );
    }
  return [...files].flatMap(([path, its]) => {
    const text = textOf(absolute(path));
    if (text === undefined) return [];
    const sorted = its.sort((a, b) => a.at.start - b.at.start);
    return [{ path: absolute(path), uri: uriOf(absolute(path)), text, findings: sorted }];
  });
}

function costsMoreFinding(
  change: KernelChange,
  uri: string,
  start: number,
  end: number,
  text: string,
): ResolvedFinding {
  return {
    rule: costsMore,
    message: 'costs-more',
    text: `More memory traffic than before in ${change.after.name}: ${text}`,
    severity: 'information',
    at: { uri, start, end },
    related: [],
    confidence: 'assumed',
    kernel: change.after.name,
    fixes: [],
    docsUrl: docsUrlOf('costs-more'),
    data: {},
  };
}
