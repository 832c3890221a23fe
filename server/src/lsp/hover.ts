// What is known of the code under the pointer: a directive or clause, an access, a condition, a launch, a kernel.
import { MarkupKind, type Hover } from 'vscode-languageserver';
import { ratioRange } from '../semantic/figures';
import type { AccessFact, BranchFact, KernelFact, LaunchFact, Reason, Span } from '../semantic/model';
import { aboutRemarks } from './compilerFeedback';
import { describeDirective } from './directiveHover';
import { occupancyOf } from './occupancy';
import type { Reading } from './readings';
import { guarded, type Session } from './session';
import { triesOf } from './tries';
import { verdictOf } from '../verdict/verdict';
import { unreadShare, unreadText } from '../rules/unreadWording';
import { conditions } from '../rules/wording';
import { accessClauses, blockText, branchClauses, code, count, figure, launchClauses } from './wording';

const mostReasons = 3;
const mostUnread = 3;
const mostShapes = 3;

export function serveHover(session: Session): void {
  session.connection.onHover(
    guarded(session, 'textDocument/hover', null as Hover | null, async ({ textDocument, position }) => {
      await session.readings.glimpsed(textDocument.uri);
      const reading = session.readings.now(textDocument.uri);
      const document = session.documents.get(textDocument.uri);
      // The text of a directive is enough, even without an analysis.
      const verdicts = reading && verdictsAt(session, reading, reading.lines.offsetAt(position));
      const facts =
        (document && describeDirective(document, document.offsetAt(position))) ??
        (reading && describeAt(session, reading, reading.lines.offsetAt(position)));
      const said = reading && aboutRemarks(reading, position);
      const found = facts ?? verdicts;
      if (!document || (!found && said === undefined)) return null;
      const markdown = [verdicts?.markdown, facts?.markdown, said].filter((each) => each !== undefined).join('\n\n');
      const value = session.client.markdownHover ? markdown : plain(markdown);
      return {
        contents: { kind: session.client.markdownHover ? MarkupKind.Markdown : MarkupKind.PlainText, value },
        ...(found
          ? { range: { start: document.positionAt(found.at.start), end: document.positionAt(found.at.end) } }
          : {}),
      };
    }),
  );
}

function describeAt(
  session: Session,
  reading: Reading,
  offset: number,
): { readonly at: Span; readonly markdown: string } | undefined {
  const { facts } = reading.model;
  const accesses = innermost(facts.access, offset, (fact) => fact.at);
  const branches = innermost(facts.branch, offset, (fact) => fact.at);
  const launches = innermost(facts.launch, offset, (fact) => fact.at);
  const kernels = innermost(facts.kernel, offset, (fact) => fact.nameAt);
  const candidates: { readonly at: Span; readonly sections: () => string[] }[] = [
    ...(accesses[0] ? [{ at: accesses[0].at, sections: () => aboutAccesses(accesses) }] : []),
    ...(branches[0] ? [{ at: branches[0].at, sections: () => branches.slice(0, 1).map(aboutBranch) }] : []),
    ...(launches[0] ? [{ at: launches[0].at, sections: () => [aboutLaunch(launches[0]!, reading)] }] : []),
    ...(kernels[0] ? [{ at: kernels[0].nameAt, sections: () => [aboutKernel(session, reading, kernels[0]!)] }] : []),
  ];
  const nearest = candidates.sort((a, b) => a.at.end - a.at.start - (b.at.end - b.at.start))[0];
  // What two accesses of the place share is there once.
  const lines = nearest?.sections().join('\n\n').trimEnd().split('\n');
  const markdown = lines?.filter((line, at) => line === '' || lines.indexOf(line) === at).join('\n');
  return nearest && { at: nearest.at, markdown: markdown!.trimEnd() };
}

/** The verdicts on the findings of the smallest span around an offset. */
function verdictsAt({ readings }: Session, reading: Reading, offset: number): ReturnType<typeof describeAt> {
  const its = innermost(reading.result.findings, offset, ({ at }) => at);
  // Findings with one verdict have it once.
  const rules = new Map<string, Set<string>>();
  for (const finding of its) {
    const { trials } = triesOf(reading, readings);
    const { sentences } = readings.working(reading.uri, () => verdictOf(finding, reading.text, trials)).verdict;
    const text = sentences.join('  \n');
    if (text !== '') rules.set(text, (rules.get(text) ?? new Set()).add(`**${finding.rule}**`));
  }
  const parts = [...rules].map(([text, of]) => `${[...of].join(', ')}  \n${text}`);
  return parts.length === 0 ? undefined : { at: its[0]!.at, markdown: parts.join('\n\n') };
}

/** All facts of the smallest span around an offset. */
function innermost<T>(facts: readonly T[], offset: number, spanOf: (fact: T) => Span): T[] {
  const around = facts.filter((fact) => spanOf(fact).start <= offset && offset <= spanOf(fact).end);
  const lengthOf = (fact: T): number => spanOf(fact).end - spanOf(fact).start;
  const least = Math.min(...around.map(lengthOf));
  return around.filter((fact) => lengthOf(fact) === least);
}

/** Accesses that cost the same are described together: `**Global load and store**`. */
function aboutAccesses(accesses: readonly AccessFact[]): string[] {
  const modesOf = new Map<string, Set<string>>();
  for (const access of accesses) {
    const text = aboutAccess(access);
    modesOf.set(text, (modesOf.get(text) ?? new Set()).add(access.mode));
  }
  return [...modesOf].map(([text, of]) => text.replace(' ', ` ${[...of].join(' and ')}** `));
}

/** Without the access's mode, which belongs at its first space. */
function aboutAccess(access: AccessFact): string {
  const space = access.space === 'unknown' ? 'Memory' : access.space[0]!.toUpperCase() + access.space.slice(1);
  const bytes = `${count(access.elementBytes, 'byte')} a lane`;
  const clauses = accessClauses(access);
  // What it costs comes first, where that is known.
  const [cost = bytes, ...others] = ratioRange(access) ? clauses : [bytes, ...clauses];
  const lines = [`**${space} of ${code(access.array.name, 40)}: ${cost}`];
  lines.push(...(cost === bytes ? others : [bytes, ...others]));
  if (access.activeLanes < 32)
    lines.push(
      `${figure(access.activeLanes)} of 32 lanes ` +
        `active${access.executions > 1 ? `, ${figure(access.executions)} times a warp` : ''}`,
    );
  if (access.assumed.length > 0) lines.push(conditions(access.assumed).join('; '));
  return listed(lines, access.trail);
}

function aboutBranch(branch: BranchFact): string {
  const clauses = branchClauses(branch);
  const cost = clauses.find((clause) => /%/.test(clause)) ?? clauses[0]!;
  const others = clauses.filter((clause) => clause !== cost);
  const lines = [`**Condition** ${code(branch.text, 48)}: ${cost}`, ...others];
  if (branch.assumed.length > 0) lines.push(conditions(branch.assumed).join('; '));
  return listed(lines, branch.trail);
}

function aboutLaunch(launch: LaunchFact, reading: Reading): string {
  const [block, grid, ...others] = launchClauses(launch, reading.gpu.warpSize);
  return listed(
    [
      `**Launch** of ${code(launch.kernelName, 40)}: ${block}, ${grid}`,
      ...others,
      ...(launch.kernelAt ? [] : ['kernel not found']),
    ],
    [],
  );
}

function aboutKernel(session: Session, reading: Reading, kernel: KernelFact): string {
  const shapes = kernel.shapes.map((shape) => {
    const args = shape.templateArgs.length > 0 ? `, ${code(`<${shape.templateArgs.join(', ')}>`, 30)}` : '';
    return `${shape.assumed ? 'block size unknown; assuming' : 'block'} ${blockText(shape)}${args}`;
  });
  const [first, ...others] = [...new Set(shapes)];
  const more = others.length - mostShapes;
  return listed(
    [
      `**Kernel** ${code(kernel.qualifiedName, 40)}${first === undefined ? '' : `: ${first}`}`,
      ...others.slice(0, mostShapes),
      ...(more > 0 ? [`and ${count(more, 'more shape')}`] : []),
      ...occupancyOf(session, reading, kernel),
      ...unreadLines(kernel, reading),
    ],
    [],
  );
}

/** How many accesses have no figures, and the first reasons. */
function unreadLines({ name }: KernelFact, reading: Reading): string[] {
  const its = reading.unread().filter(({ kernels, what }) => kernels.includes(name) && what !== 'file');
  const share = unreadShare(name, reading.model.facts.access, its);
  const shown = its.slice(0, mostUnread).map((one) => {
    const { line } = reading.lines.positionAt(one.at.start);
    return `line ${line + 1}, not read: ${unreadText(one)}`;
  });
  return [
    ...(share === undefined ? [] : [share]),
    ...shown,
    ...(its.length > mostUnread ? [`and ${count(its.length - mostUnread, 'more reason')}`] : []),
  ];
}

function listed([title, ...points]: readonly string[], trail: readonly Reason[]): string {
  const reasons = [...new Set(trail.map((reason) => reason.text))].slice(0, mostReasons);
  return [
    title!,
    ...points.map((point) => `- ${point}`),
    ...(reasons.length > 0 ? ['', 'Because', ...reasons.map((reason) => `- ${reason}`)] : []),
  ].join('\n');
}

function plain(markdown: string): string {
  return markdown.replace(/\*\*|`/g, '');
}
