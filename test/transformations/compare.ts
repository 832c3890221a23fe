// Are the findings and figures of a transformed program those of the program?
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lint } from '../../server/src/lint/lint';
import type { Syntax } from '../../server/src/syntax';
import { createWorkspace } from '../../server/src/workspace/workspace';
import { memoryFileSystem } from '../support/analyseText';
import { markedText, originOf, type Marked } from './marked';
import type { Transformed } from './program';

export type Verdict = 'unchanged' | 'softened' | 'lost' | 'wrong';
export interface Compared {
  readonly what: string;
  readonly line: number;
  readonly verdict: Verdict;
  readonly before?: string;
  readonly after?: string;
}

interface Item {
  /** What it says, without its figure. */
  readonly key: string;
  /** Place in the first text, or -1. */
  readonly place: number;
  readonly ratio?: number | undefined;
  /** Higher is more certain, or more severe. */
  readonly rank: number;
  readonly finding: boolean;
}
const certainties = ['unknown', 'conditional', 'proven'];
const severities = ['hint', 'information', 'warning', 'error'];

/** Findings and figures of a program by their places in the first text. */
export function itemsOf(
  syntax: Syntax,
  first: string,
  { main, headers, path = first }: Transformed,
  beside: ReadonlyMap<string, string>,
): { readonly items: readonly Item[]; readonly reported: boolean } {
  const marked = new Map<string, Marked>([[path, main]]);
  for (const [name, header] of headers ?? []) marked.set(join(dirname(path), name), header);
  const files = new Map([...beside, ...[...marked].map(([at, { text }]) => [at, text] as const)]);
  const workspace = createWorkspace({ fileSystem: memoryFileSystem(files), syntax });
  const items: Item[] = [];
  let reported = false;
  for (const [at, its] of marked) {
    const uri = pathToFileURL(at).href;
    const analysed = workspace.analyse(uri, { text: its.text, version: 1 });
    if (!analysed) continue;
    const { model, gpu } = analysed;
    const { findings, failures } = lint(model, its.text, { gpu });
    const placeOf = (span: { uri: string; start: number; end: number } | undefined): number =>
      span?.uri === uri ? originOf(its, span.start, span.end) : -1;
    for (const { rule, error } of failures)
      items.push({ key: `${rule} threw ${error}`, place: -1, rank: 3, finding: true });
    for (const { rule, message, text: said, severity, at: span, related } of findings) {
      const place = [span, ...related.map((one) => one.at)].map(placeOf).find((one) => one >= 0) ?? -1;
      // The figures of CUDA are those of accesses, below.
      const figures = rule.startsWith('acc/') ? (said.replace(/`[^`]*`/g, '').match(/\d+(?:[.,]\d+)*/g) ?? []) : [];
      items.push({
        key: [rule, message, ...figures].join(' '),
        place,
        rank: severities.indexOf(severity),
        finding: true,
      });
    }
    reported ||= model.facts.kernel.some(({ notAnalysed }) => notAnalysed !== undefined);
    for (const access of model.facts.access) {
      const place = [access.at, access.via].map(placeOf).find((one) => one >= 0) ?? -1;
      if (access.at.uri !== uri) continue;
      const ratio =
        access.sectors !== undefined && access.sectorsIdeal
          ? access.sectors / access.sectorsIdeal
          : access.wavefronts !== undefined && access.wavefrontsIdeal
            ? access.wavefronts / access.wavefrontsIdeal
            : undefined;
      items.push({
        key: `${access.mode} ${access.space}`,
        place,
        ratio,
        rank: certainties.indexOf(access.certainty),
        finding: false,
      });
    }
    workspace.forget(uri);
  }
  return { items, reported };
}

const said = ({ key, ratio, rank, finding, place }: Item): string =>
  `${key} @${place} ${ratio === undefined ? '' : `${ratio.toFixed(2)}×`} ${(finding ? severities : certainties)[rank]}`;

/** What was found in programs before any transformation, which is asked for once each. */
const known = new WeakMap<ReadonlyMap<string, string>, ReadonlyMap<string, ReturnType<typeof itemsOf>>>();

/** Each item of the first program with its verdict, and those that only the second has, which are wrong. */
export function compare(
  syntax: Syntax,
  path: string,
  text: string,
  program: Transformed,
  beside: ReadonlyMap<string, string>,
): readonly Compared[] {
  const before = known.get(beside)?.get(text) ?? itemsOf(syntax, path, { main: markedText(text) }, beside);
  known.set(beside, new Map([[text, before]]));
  const after = itemsOf(syntax, path, program, beside);
  const lineAt = (at: number): number => (at < 0 ? -1 : text.slice(0, at).split('\n').length);
  const rest = [...after.items];
  const results: Compared[] = [];
  const near = (a: Item, b: Item): boolean => lineAt(a.place) === lineAt(b.place);
  const isSame = (a: Item, b: Item): boolean =>
    a.rank === b.rank && (a.ratio === b.ratio || Math.abs((a.ratio ?? 0) - (b.ratio ?? 0)) < 0.01 * (a.ratio ?? 0));
  const take = (matches: (other: Item) => boolean): Item | undefined => {
    const at = rest.findIndex(matches);
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  };
  const open: Item[] = [];
  const push = (item: Item, verdict: Verdict, other?: Item): void => {
    results.push({
      what: item.key,
      line: lineAt(item.place),
      verdict,
      before: said(item),
      ...(other ? { after: said(other) } : {}),
    });
  };
  for (const item of before.items) {
    const twin =
      take((other) => other.key === item.key && other.place === item.place && isSame(item, other)) ??
      take((other) => other.key === item.key && near(item, other) && isSame(item, other));
    if (twin) push(item, 'unchanged', twin);
    else open.push(item);
  }
  for (const item of open) {
    const twin =
      take((other) => other.key === item.key && other.place === item.place) ??
      take((other) => other.key === item.key && near(item, other));
    if (!twin) push(item, after.reported && !before.reported ? 'softened' : 'lost');
    else if (item.finding) push(item, twin.rank < item.rank ? 'softened' : 'wrong', twin);
    else push(item, twin.rank < item.rank || twin.ratio === undefined ? 'softened' : 'wrong', twin);
  }
  for (const item of rest)
    if (item.place >= 0 || item.finding)
      results.push({ what: item.key, line: lineAt(item.place), verdict: 'wrong', after: said(item) });
  return results;
}
