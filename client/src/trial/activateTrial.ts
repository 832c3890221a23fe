// Measuring a fix and sweeping a number from the editor: what is run is what was profiled last, the result is a page beside the code.
import { basename } from 'node:path';
import { commands, ProgressLocation, Range, Uri, window, workspace, type TextDocument } from 'vscode';
import {
  findingsRequest,
  type FindingsAnswer,
  type FoundFinding,
  type FoundFix,
  type FoundParameter,
  type TextRange,
} from '../../../protocol/src/requests';
import { BuildFailure } from '../../../profiler/src/build/build';
import {
  measureVariants,
  type TrialEvent,
  type TrialRequest,
  type TrialResult,
  type Variant,
} from '../../../profiler/src/trial/trial';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import type { FeatureContext } from '../featureContext';
import type { Profiling, ReadyRun, RunArguments } from '../profiling/activateProfiling';
import { inEditorWords, problemText, remedyTitles } from '../profiling/problemWords';
import {
  canBeMeasured,
  measureBesideFixes,
  measureFixCommand,
  offerSweeps,
  parametersAt,
  sweepCommand,
  type FixReference,
} from './measureActions';
import {
  applyFormEdits,
  createTrialPanels,
  type EditedForm,
  type FormEdit,
  type ShownTrial,
  type TrialPanels,
} from './trialPanel';
import type { TrialSubject } from './trialPage';

/** What `warplens.sweepParameter` takes; what is absent is asked for. */
export interface SweepArguments {
  readonly uri: string;
  /** From 0. */
  readonly line: number;
  /** Which parameter, where the line has several. */
  readonly name?: string;
  readonly values?: readonly number[];
  /** As for a profile: with something to run and a host, nothing is asked. */
  readonly run?: RunArguments;
}
export type MeasureArguments = FixReference & Pick<SweepArguments, 'run'>;

export interface TrialFeature {
  readonly panels: TrialPanels;
  /** What the progress said in the last measurement, in order. */
  readonly said: readonly string[];
  cancel(): void;
}

/** What is to be measured. `forms` stand beside the variants, the unchanged one first. */
interface Plan {
  readonly subject: TrialSubject;
  readonly forms: readonly (EditedForm & { readonly name: string })[];
  readonly before: ReadonlyMap<string, string>;
  readonly kernel?: string;
}

export function activateTrial({
  extension,
  server,
  profiling,
}: FeatureContext & { readonly profiling: Profiling }): TrialFeature {
  const panels = createTrialPanels((message) => void profiling.asking.say('warning', message));
  const { output } = profiling.runner;
  let said: string[] = [];
  let running: AbortController | undefined;

  /** Measures and shows; undefined when there is no result, which has been said by then. */
  async function measure(plan: Plan, ready: ReadyRun, again: (how: 'ask') => unknown): Promise<ShownTrial | undefined> {
    if (running || profiling.runner.isRunning) {
      void profiling.asking
        .say('information', 'Warplens: something is being measured already.', ...(running ? ['Cancel It'] : []))
        .then((answer) => answer && running?.abort());
      return undefined;
    }
    const { request } = ready;
    const stop = (running = new AbortController());
    said = [];
    output.appendLine(
      `── Measuring ${plan.subject.title}, ${plan.subject.place}, with ${ready.title} on ${request.host.destination ?? 'this machine'}, ${new Date().toLocaleTimeString()}`,
    );
    try {
      const result = await window.withProgress(
        { location: ProgressLocation.Notification, title: `Measuring ${plan.subject.place}`, cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => stop.abort());
          let done = 0;
          const hear = write((message, part) => {
            if (message !== said.at(-1)) said.push(message);
            progress.report({ message, increment: 100 * Math.max(0, part - done) });
            done = Math.max(done, part);
          });
          return await measureVariants(trialRequest(plan, ready), {
            signal: stop.signal,
            onEvent(event) {
              // So that the second measurement asks nothing, not even for the host.
              if (event.what === 'checked') void ready.keep();
              hear(event);
            },
          });
        },
      );
      tell(result);
      return panels.show(plan.subject, result, plan.forms, plan.before);
    } catch (error) {
      if (!(error instanceof ProfileProblem)) throw error;
      report(error, again);
      return undefined;
    } finally {
      running = undefined;
    }
  }

  function write(say: (message: string, part: number) => void): (event: TrialEvent) => void {
    return (event) => {
      switch (event.what) {
        case 'step':
          say(event.text, event.done / event.all);
          output.appendLine(`─ ${event.text}`);
          break;
        case 'checked': {
          const { facts, checks } = event.preflight;
          output.appendLine(
            `${facts.gpus?.[0]?.name ?? 'no GPU'}, nvcc ${facts.nvcc?.version ?? '–'}, ncu${facts.ncu?.title?.includes('(replay)') ? ' (replay)' : ''} ${facts.ncu?.version ?? '–'}`,
          );
          for (const { verdict, text, nextStep } of checks)
            if (verdict === 'bad') output.appendLine(inEditorWords(`${text} ${nextStep ?? ''}`.trim()));
          break;
        }
        case 'build-output':
          output.append(event.text);
          break;
        case 'build-failed':
          output.appendLine(`${event.variant}: ${event.message}`);
          break;
        case 'program-output':
          output.appendLine(`${event.variant} prints:\n${event.text.split('\n').slice(0, 200).join('\n').trimEnd()}`);
          break;
        case 'ncu':
          if (event.event.what === 'kernel' && event.event.passes !== undefined)
            output.appendLine(`${event.variant}: ${event.event.name}: ${event.event.passes} passes`);
          break;
        default:
          break;
      }
    };
  }

  function tell(result: TrialResult): void {
    for (const { name, verdict } of result.variants) if (verdict) output.appendLine(`${name}: ${verdict.words}`);
    for (const note of result.notes) output.appendLine(`note: ${inEditorWords(note)}`);
  }

  function report(problem: ProfileProblem, again: (how: 'ask') => unknown): void {
    output.appendLine(`${problem.message} ${inEditorWords(problem.nextStep)}`.trim());
    if (problem.detail !== '')
      output.appendLine(
        problem.detail
          .split('\n')
          .map((line) => `    ${line}`)
          .join('\n'),
      );
    if (problem.kind === 'cancelled') {
      window.setStatusBarMessage(`$(circle-slash) ${problemText(problem)}`, 6_000);
      return;
    }
    const place =
      problem instanceof BuildFailure
        ? problem.messages.find(
            ({ severity, file, line }) => severity === 'error' && file !== undefined && line !== undefined,
          )
        : undefined;
    void profiling.asking
      .say(
        'error',
        `Warplens: ${problemText(problem)}`,
        ...(place ? ['Go to Error'] : []),
        remedyTitles.output,
        remedyTitles.what,
      )
      .then(async (answer) => {
        if (answer === remedyTitles.output) output.show();
        else if (answer === remedyTitles.what) await again('ask');
        else if (answer && place)
          await window.showTextDocument(Uri.file(place.file!), {
            selection: new Range(place.line! - 1, (place.column ?? 1) - 1, place.line! - 1, (place.column ?? 1) - 1),
          });
      });
  }

  /** The run that a file was last profiled with, or a new one; it has to build the program, since a changed form has to be built. */
  async function readyRun(
    document: TextDocument,
    wanted: RunArguments | undefined,
    how: 'ask' | undefined,
  ): Promise<ReadyRun | undefined> {
    const ready = await profiling.readyRun({ file: document.uri.fsPath, ...wanted }, how);
    if (!ready) return undefined;
    if (ready.request.build.built || ready.request.build.inPlace !== undefined) {
      const answer = await profiling.asking.say(
        'information',
        `Warplens: ${ready.title} is ${ready.request.build.built ? 'run as it is built already' : 'built in place'}. A change is measured in copies of the sources, so the program has to be built from them.`,
        remedyTitles.what,
      );
      return answer && how !== 'ask' ? readyRun(document, undefined, 'ask') : undefined;
    }
    return ready;
  }

  async function measureFix(given?: unknown, how?: 'ask'): Promise<ShownTrial | undefined> {
    const wanted: MeasureArguments | undefined = isFixReference(given) ? given : await fixUnderCursor();
    if (!wanted) return undefined;
    const document = await workspace.openTextDocument(Uri.parse(wanted.uri));
    const ready = await readyRun(document, wanted.run, how);
    if (!ready) return undefined;
    // What is built is what is on disk: the finding is looked up again once it is saved.
    const answer = await server.request<FindingsAnswer | null>(findingsRequest, { uri: wanted.uri }).catch(() => null);
    const finding = answer && findingOf(answer.findings, wanted, document);
    const fixes = (wanted.titles ?? [wanted.title]).flatMap(
      (title) => finding?.fixes.find((fix) => fix.title === title) ?? [],
    );
    if (!finding || fixes.length === 0) {
      void profiling.asking.say(
        'information',
        'Warplens: the finding is not there any more. Open the menu of its line again.',
      );
      return undefined;
    }
    const kernel = kernelOf(finding);
    const forms = await Promise.all(
      fixes.map(async ({ title, edits }) => ({
        name: fixes.length === 1 ? 'with the fix' : title.slice(title.lastIndexOf(': ') + 1).trim(),
        edits: await formEdits(edits),
      })),
    );
    return measure(
      {
        subject: {
          title: fixes.length === 1 ? fixes[0]!.title : `${fixes.length} fixes of ${finding.rule}`,
          place: placeOf(document, finding.range.start.line),
          kind: 'fix',
        },
        forms: [{ name: 'before', edits: [] }, ...forms],
        before: await textsOf(forms.flatMap(({ edits }) => edits)),
        ...(kernel !== undefined ? { kernel } : {}),
      },
      ready,
      (again) => measureFix(wanted, again),
    );
  }

  async function fixUnderCursor(): Promise<FixReference | undefined> {
    const editor = window.activeTextEditor;
    const answer =
      editor &&
      (await server
        .request<FindingsAnswer | null>(findingsRequest, { uri: editor.document.uri.toString() })
        .catch(() => null));
    const at = editor?.selection.active.line ?? 0;
    const here = answer?.findings.filter(({ range }) => range.start.line <= at && at <= range.end.line) ?? [];
    const offered = [
      ...new Map(
        here
          .filter(({ rule }) => canBeMeasured(rule))
          .flatMap((finding) => finding.fixes.map((fix) => [fix.title, { finding, fix }] as const)),
      ).values(),
    ];
    if (!editor || offered.length === 0) {
      void profiling.asking.say(
        'information',
        'Warplens: put the cursor into a line with a finding whose fix changes the time.',
      );
      return undefined;
    }
    const rows = offered.map(({ finding, fix }) => ({ label: fix.title, description: finding.rule, finding, fix }));
    const chosen =
      rows.length === 1
        ? rows[0]
        : (await profiling.asking.pick(rows, { title: 'Measure a fix', placeholder: 'Which fix' }))?.item;
    return (
      chosen && {
        uri: editor.document.uri.toString(),
        rule: chosen.finding.rule,
        message: chosen.finding.message,
        start: editor.document.offsetAt(positionOf(chosen.finding.range, editor.document).start),
        title: chosen.fix.title,
      }
    );
  }

  async function sweep(given?: unknown, how?: 'ask'): Promise<ShownTrial | undefined> {
    const wanted: SweepArguments | undefined = isSweepArguments(given)
      ? given
      : window.activeTextEditor && {
          uri: window.activeTextEditor.document.uri.toString(),
          line: window.activeTextEditor.selection.active.line,
        };
    if (!wanted) return undefined;
    const document = await workspace.openTextDocument(Uri.parse(wanted.uri));
    const line = document.lineAt(Math.min(wanted.line, document.lineCount - 1)).range;
    const first = await choose(await parametersAt(server, document, line), wanted.name);
    const values = first && (wanted.values ?? (await askForValues(first)));
    if (!first || !values) return undefined;
    const ready = await readyRun(document, wanted.run, how);
    if (!ready) return undefined;
    // Saving may have formatted the line.
    const parameter = (await parametersAt(server, document, line)).find(({ name }) => name === first.name) ?? first;
    const forms = await Promise.all(
      ordered(parameter.value, values).map(async (value) => ({
        name: value === parameter.value ? `${value} (as it is)` : String(value),
        edits:
          value === parameter.value
            ? []
            : await formEdits([{ uri: parameter.uri, range: parameter.range, newText: String(value) }]),
      })),
    );
    return measure(
      {
        subject: { title: `Sweep of ${parameter.name}`, place: placeOf(document, line.start.line), kind: 'sweep' },
        forms,
        before: await textsOf(forms.flatMap(({ edits }) => edits)),
        ...(parameter.kernel !== undefined ? { kernel: parameter.kernel } : {}),
      },
      ready,
      (again) => sweep({ ...wanted, values }, again),
    );
  }

  async function choose(
    found: readonly FoundParameter[],
    name: string | undefined,
  ): Promise<FoundParameter | undefined> {
    const fitting = name === undefined ? found : found.filter((parameter) => parameter.name === name);
    if (fitting.length === 0) {
      void profiling.asking.say(
        'information',
        'Warplens: this line has no number to sweep: put the cursor on a launch, a num_workers or vector_length clause, or an integer constant.',
      );
      return undefined;
    }
    if (fitting.length === 1) return fitting[0];
    return (
      await profiling.asking.pick(
        fitting.map((parameter) => ({
          label: parameter.name,
          description: String(parameter.value),
          ...(parameter.remark === undefined ? {} : { detail: parameter.remark }),
          parameter,
        })),
        { title: 'Sweep', placeholder: 'Which number' },
      )
    )?.item.parameter;
  }

  async function askForValues({
    name,
    candidates,
    value,
    remark,
  }: FoundParameter): Promise<readonly number[] | undefined> {
    const text = await profiling.asking.input({
      title: `Sweep ${name}`,
      value: candidates.join(', '),
      prompt: `Values to build, run and time; it is ${value} now.${remark ? ` Mind: ${remark}.` : ''}`,
      validateInput: (typed) =>
        numbersIn(typed)
          ? undefined
          : 'Whole numbers above 0, parted by commas, one other than the present value at least.',
    });
    return text === undefined ? undefined : numbersIn(text);

    function numbersIn(typed: string): number[] | undefined {
      const numbers = typed
        .split(/[\s,;]+/)
        .filter((part) => part !== '')
        .map(Number);
      return numbers.some((number) => number !== value) &&
        numbers.every((number) => Number.isSafeInteger(number) && number > 0)
        ? [...new Set(numbers)]
        : undefined;
    }
  }

  server.use(measureBesideFixes(() => profiling.isTrusted()));
  extension.subscriptions.push(
    panels,
    offerSweeps(server, () => profiling.isTrusted()),
    { dispose: () => running?.abort() },
    commands.registerCommand(measureFixCommand, (given?: unknown) => measureFix(given)),
    commands.registerCommand(sweepCommand, (given?: unknown) => sweep(given)),
  );
  return {
    panels,
    get said() {
      return said;
    },
    cancel: () => running?.abort(),
  };
}

function trialRequest({ forms, before, kernel }: Plan, { request, run }: ReadyRun): TrialRequest {
  const settings = workspace.getConfiguration('warplens.measure', Uri.file(run.root));
  const command = settings.get<string>('compare')?.trim();
  const tolerance = settings.get<number>('tolerance');
  const [first, ...others] = forms.map(
    ({ name, edits }): Variant => ({
      name,
      files: [...new Set(edits.map(({ uri }) => uri))].map((uri) => ({
        path: Uri.parse(uri).fsPath,
        text: applyFormEdits(before.get(uri)!, edits, uri),
      })),
    }),
  );
  const { collect } = request;
  return {
    host: request.host,
    build: request.build,
    variants: [first!, ...others],
    ...(kernel !== undefined ? { kernel } : collect.kernel !== undefined ? { kernel: collect.kernel } : {}),
    run: { arguments: collect.arguments, environment: collect.environment, timeLimitSeconds: collect.timeLimitSeconds },
    compare: {
      ...(command ? { command } : {}),
      ...(typeof tolerance === 'number' && tolerance > 0 && tolerance < 1 ? { tolerance } : {}),
    },
    clocks: collect.clocks,
    nvcc: request.nvcc,
    ncu: request.ncu,
    driverParameters: request.driverParameters,
  };
}

/** The present value first, then the others in order. */
function ordered(value: number, values: readonly number[]): number[] {
  return [value, ...values.filter((other) => other !== value).sort((a, b) => a - b)];
}

function findingOf(
  findings: readonly FoundFinding[],
  { rule, message, start, title }: FixReference,
  document: TextDocument,
): FoundFinding | undefined {
  const same = findings.filter(
    (finding) =>
      finding.rule === rule && finding.message === message && finding.fixes.some((fix) => fix.title === title),
  );
  return (
    same.find(({ range }) => document.offsetAt(positionOf(range, document).start) === start) ??
    (same.length === 1 ? same[0] : undefined)
  );
}

/** The kernel whose time a finding is about: the one around it, or the one that its launch starts; a finding of the host is about none. */
function kernelOf({ function: around, data }: FoundFinding): string | undefined {
  if (around) return around.kernel ? around.name : undefined;
  const { kernel } = data;
  return typeof kernel === 'string' ? kernel.replace(/<.*$/s, '').replace(/^.*::/s, '') : undefined;
}

async function formEdits(edits: FoundFix['edits']): Promise<FormEdit[]> {
  return Promise.all(
    edits.map(async ({ uri, range, newText }) => {
      const document = await workspace.openTextDocument(Uri.parse(uri));
      const { start, end } = positionOf(range, document);
      return { uri, start: document.offsetAt(start), end: document.offsetAt(end), newText };
    }),
  );
}

async function textsOf(edits: readonly FormEdit[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { uri } of edits)
    if (!texts.has(uri)) texts.set(uri, (await workspace.openTextDocument(Uri.parse(uri))).getText());
  return texts;
}

function positionOf({ start, end }: TextRange, document: TextDocument): Range {
  return document.validateRange(new Range(start.line, start.character, end.line, end.character));
}
function placeOf(document: TextDocument, line: number): string {
  return `${basename(document.uri.path)}:${line + 1}`;
}

function isFixReference(given: unknown): given is MeasureArguments {
  const { uri, rule, message, title } = (given ?? {}) as Partial<FixReference>;
  return (
    typeof uri === 'string' && typeof rule === 'string' && typeof message === 'string' && typeof title === 'string'
  );
}

function isSweepArguments(given: unknown): given is SweepArguments {
  const { uri, line } = (given ?? {}) as Partial<SweepArguments>;
  return typeof uri === 'string' && typeof line === 'number';
}
