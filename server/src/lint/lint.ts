// Model to findings: runs the rules over the facts, words what they say, groups, and honours suppression comments.
import type { FactKind, Facts, Gpu, Model } from '../semantic/model';
import { keepColumns } from '../semantic/acc';
import { append } from '../semantic/language';
import { keepLayout } from '../semantic/fixes';
import { atEveryPlace } from '../rules/everyPlace';
import { registry } from '../rules/registry';
import { type Finding, needsGain, type Rule, type RuleMeta } from '../rules/rule';
import { lineTable } from '../syntax/lines';
import { aboutMarks, aboutSuppressions } from './aboutComments';
import { docsUrlOf, severities, type ResolvedFinding } from './finding';
import { thresholds } from '../cost/grade';
import { createRank, type Rank } from '../cost/traffic';
import { addShare, addSurroundings, type Draft, groupFindings, type MadeDraft, ratioOf } from './groups';
import { readMarks, type Marked, type Marks } from './marks';
import { optionsOf, type RuleSetting } from './settings';
import { findSuppressions, type Suppression } from './suppressions';

export type AnyRule = { [K in FactKind]: Rule<K, string> }[FactKind];

export interface LintOptions {
  readonly gpu: Gpu;
  readonly settings?: ReadonlyMap<string, RuleSetting>;
  /** Ids of the rules to run; all that are not off when absent. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Findings about our comments themselves; on unless false. */
  readonly reportSuppressions?: boolean;
  readonly rules?: readonly AnyRule[];
  /** A file that the user's setting calls quiet: nothing is louder than a hint but errors and what the user chose. */
  readonly quiet?: boolean;
}

export interface LintResult {
  /** In order of place. */
  readonly findings: readonly ResolvedFinding[];
  /** Findings that a comment silenced. */
  readonly suppressed: readonly ResolvedFinding[];
  /** Functions and constructs of the file that comments mark. */
  readonly marked: Marked;
  /** Rules that threw: their id and what they said. The other rules ran. */
  readonly failures: readonly { readonly rule: string; readonly error: string }[];
}

/** Everything the rules say about a model. `text` is the text the model was made from. Never throws. */
export function lint(model: Model, text: string, options: LintOptions): LintResult {
  const failures: { rule: string; error: string }[] = [];
  const found: Draft[] = [];
  const rank = createRank(model, options.gpu);
  const marks = readMarks(model, rank);
  const rules = options.rules ?? registry;
  const runs = (id: string): boolean => !options.settings?.get(id)?.off && (!options.only || options.only.has(id));
  for (const rule of rules) {
    if (!runs(rule.meta.id)) continue;
    const setting = options.settings?.get(rule.meta.id);
    try {
      found.push(...runRule(rule as Rule<FactKind, string>, model, options, setting, rank, marks));
    } catch (error) {
      failures.push({ rule: rule.meta.id, error: error instanceof Error ? error.message : String(error) });
    }
  }
  const table = lineTable(text);
  const ofLines = group(
    found.sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end || a.rule.localeCompare(b.rule)),
    (offset) => table.positionAt(offset).line,
  );
  const suppressions = findSuppressions(text, table, model.fortran);
  const mayBeOf = suppressionsByLine(suppressions);
  const used = new Set<Suppression>();
  const kept: Draft[] = [];
  const silenced: Draft[] = [];
  for (const finding of ofLines) {
    const first = table.positionAt(finding.at.start).line;
    const last = table.positionAt(finding.at.end).line;
    // A comment at the end of a statement of several lines counts for the whole; one above it counts for its first
    // line. Either counts for all of a directive.
    const silencer = mayBeOf(first, Math.min(last, first + 4)).filter(
      (one) =>
        (one.rules.length === 0 || one.rules.some(({ id }) => id === finding.rule)) &&
        (one.scope === 'file' ||
          one.line === first ||
          (one.directive !== undefined && first >= one.directive.first && first <= one.directive.last) ||
          (one.scope === 'line' && one.line! > first && one.line! <= Math.min(last, first + 4))),
    );
    for (const one of silencer) used.add(one);
    (silencer.length > 0 ? silenced : kept).push(finding);
  }
  // What a comment silences is not a place of a finding that stays. Fixes of most versions are never asked for.
  let placed: readonly Draft[] | undefined;
  const whole = (): readonly Draft[] => {
    const each = atEveryPlace(kept, model.uri, text, model.excess === undefined);
    return model.fortran ? keepColumns(each, model, text) : keepLayout(each, model.uri, text);
  };
  for (const [at, draft] of kept.entries())
    if (draft.fixes.length > 0) (draft as MadeDraft).fixesOf = () => (placed ??= whole())[at]!.fixes;
  const metas = new Map(rules.map(({ meta }) => [meta.id, meta as RuleMeta]));
  const inWords = (draft: Draft): ResolvedFinding => worded(draft, metas.get(draft.rule)!.messages);
  const findings = groupFindings(kept, rank)
    .filter(
      ({ rule, message, expectedGain = 1 }) =>
        !needsGain(metas.get(rule)!, message) || expectedGain >= thresholds.information,
    )
    .map(inWords);
  const result = { findings, suppressed: silenced.map(inWords), marked: marks.count, failures };
  if (options.reportSuppressions === false) return result;
  const ids = rules.map(({ meta }) => meta.id);
  const aboutComments = [
    ...aboutSuppressions(suppressions, used, model.uri, text, ids, runs),
    ...aboutMarks(model, text),
  ];
  findings.push(...aboutComments);
  findings.sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  return result;
}

/** Suppressions that may silence a finding on lines `first` to `last`: there may be as many comments as lines. */
function suppressionsByLine(
  suppressions: readonly Suppression[],
): (first: number, last: number) => readonly Suppression[] {
  const anywhere = suppressions.filter(({ line, directive }) => line === undefined || directive);
  const ofLine = new Map<number, Suppression[]>();
  for (const one of suppressions) if (one.line !== undefined && !one.directive) append(ofLine, one.line, one);
  return (first, last) => {
    const found = [...anywhere];
    for (let line = first; line <= last; line++) found.push(...(ofLine.get(line) ?? []));
    return found;
  };
}

function runRule(
  rule: Rule<FactKind, string>,
  model: Model,
  { gpu, quiet = false }: LintOptions,
  setting: RuleSetting | undefined,
  rank: Rank,
  marks: Marks,
): Draft[] {
  const context = { model, gpu, options: optionsOf(rule.meta, setting) };
  const found: Draft[] = [];
  for (const fact of model.facts[rule.on] as readonly Facts[FactKind][]) {
    for (const finding of rule.check(fact, context)) {
      if (finding.at.uri !== model.uri) continue;
      const draft = resolve(rule.meta, finding, setting, fact, quiet);
      if (fact.kind === 'access' && fact.calleeAt) draft.calleeAt = fact.calleeAt;
      addSurroundings(draft, rank);
      addShare(draft, rank);
      const said = marks.saidOf(fact);
      if (said) draft.said = said;
      found.push(draft);
    }
  }
  return found;
}

function resolve(
  meta: RuleMeta,
  finding: Finding,
  setting: RuleSetting | undefined,
  fact: Facts[FactKind],
  quiet: boolean,
): MadeDraft {
  const draft: MadeDraft = {
    rule: meta.id,
    message: finding.message,
    text: '',
    severity: setting?.severity ?? finding.severity ?? meta.severity,
    at: finding.at,
    related: distinctBy(finding.related ?? [], ({ at, text }) => `${at.start} ${at.end} ${at.uri} ${text}`),
    confidence: finding.confidence,
    fixes: finding.fixes ?? [],
    docsUrl: docsUrlOf(meta.id),
    data: finding.data ?? {},
    fact,
    wasted: finding.waste ? [{ fact, waste: finding.waste }] : [],
    cause: finding.cause ?? finding.message,
    most: finding.waste && finding.severity,
    chosen: setting?.severity !== undefined,
    quiet,
  };
  if (finding.waste) draft.waste = finding.waste.kind;
  if (finding.measuredAt) draft.measuredAt = finding.measuredAt;
  const confirm = finding.confirm ?? meta.confirm;
  if (confirm !== undefined) draft.confirm = confirm;
  if (finding.atStake) draft.atStake = finding.atStake;
  if (finding.refusals?.length && !finding.fixes?.length) draft.refusals = finding.refusals;
  return draft;
}

type Messages = Readonly<Record<string, string>>;

/** Without what only the way through lint needs. The words come last: they say the share, which the whole group has. */
function worded(draft: Draft, messages: Messages): ResolvedFinding {
  const { fact: _f, wasted: _w, shareIfFew: _s, cause: _c, most: _m, chosen: _h, quiet: _q, fixesOf, ...rest } = draft;
  const text = render(messages[draft.message] ?? draft.message, { share: '', ...draft.data });
  const finding = { ...rest, text };
  return fixesOf ? Object.defineProperty(finding, 'fixes', { enumerable: true, get: fixesOf }) : finding;
}

/** Fills `{name}` from the data; a name without a value stays as it is, so that a test sees it. */
export function render(message: string, data: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => (name in data ? String(data[name]) : whole));
}

/**
 * One finding for each cause and array on a line: `a[2*i] + a[2*i + 1]` is one mistake, and so are a load and a store
 * of one element. The gravest stays, with the fixes of all. Measurements are matched by line, so lines stay apart.
 */
function group(findings: readonly Draft[], lineOf: (offset: number) => number): Draft[] {
  const groups = new Map<string, Draft>();
  for (const finding of findings) {
    const subject = finding.data['array'] ?? `${finding.at.start}…${finding.at.end}`;
    const key = `${finding.rule} ${finding.message} ${lineOf(finding.at.start)} ${subject}`;
    const first = groups.get(key);
    if (!first) {
      groups.set(key, finding);
      continue;
    }
    const graver = weight(finding) > weight(first) ? finding : first;
    const added = (name: 'share' | 'shareIfFew' | 'cost'): Partial<Draft> =>
      first[name] === undefined && finding[name] === undefined
        ? {}
        : { [name]: (first[name] ?? 0) + (finding[name] ?? 0) };
    const fixes = distinctBy([...graver.fixes, ...first.fixes, ...finding.fixes], ({ edits }) =>
      edits.map(({ at, newText }) => `${at.start} ${at.end} ${at.uri} ${newText}`).join('\0'),
    );
    const { refusals = first.refusals ?? finding.refusals, ...rest } = graver;
    groups.set(key, {
      ...rest,
      ...(refusals && fixes.length === 0 ? { refusals } : {}),
      ...(first.fact.kind === 'access' ? { ...added('share'), ...added('shareIfFew'), ...added('cost') } : {}),
      wasted: [...first.wasted, ...finding.wasted],
      fixes,
    });
  }
  return [...groups.values()].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
}

function weight(draft: Draft): number {
  return severities.indexOf(draft.severity) * 1e6 + ratioOf(draft);
}

function distinctBy<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  if (all.length < 2) return all;
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}
