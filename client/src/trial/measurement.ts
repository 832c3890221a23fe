// Runs a measurement with its progress, says what came of it, and what helps where nothing did.
import { commands, ProgressLocation, Range, Uri, window, workspace } from 'vscode';
import { BuildFailure } from '../../../profiler/src/build/build';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import {
  measureVariants,
  type TrialEvent,
  type TrialRequest,
  type TrialResult,
  type Variant,
} from '../../../profiler/src/trial/trial';
import type { Profiling, ReadyRun } from '../profiling/profiling';
import { logProblem } from '../profiling/asking';
import { inEditorWords, problemText, remediesOf, remedyTitles, type Remedy } from '../profiling/problemWords';
import type { TrialSubject } from './trialPage';
import { applyFormEdits, type EditedForm, type ShownTrial, type TrialPanels } from './trialPanel';

/** What to measure. `forms` correspond to the variants, the unchanged one first. */
export interface Plan {
  readonly subject: TrialSubject;
  readonly forms: readonly (EditedForm & { readonly name: string })[];
  readonly before: ReadonlyMap<string, string>;
  readonly kernel?: string;
}

/** Repeats the measurement: with a newly chosen run, or on the host chosen since. */
export type Again = (how: 'ask' | 'other host') => unknown;

export interface Measurements {
  /** What the progress said in the last measurement, in order. */
  readonly said: readonly string[];
  /** Measures and shows; undefined when there is no result, which has been said by then. */
  measure(plan: Plan, ready: ReadyRun, again: Again): Promise<ShownTrial | undefined>;
  cancel(): void;
}

/** The remedies that a message about a measurement has a button for. */
const buttons: readonly Remedy[] = ['host', 'settings', 'output', 'what'];

export function createMeasurements(profiling: Profiling, panels: TrialPanels): Measurements {
  const { output } = profiling.runner;
  let said: string[] = [];
  let running: AbortController | undefined;

  /** Measures and shows; undefined when there is no result, which has been said by then. */
  async function measure(plan: Plan, ready: ReadyRun, again: Again): Promise<ShownTrial | undefined> {
    if (running || profiling.runner.isRunning) {
      void profiling.asking
        .say('information', 'Warplens: a measurement is already running.', ...(running ? ['Cancel It'] : []))
        .then((answer) => answer && running?.abort());
      return undefined;
    }
    const { request } = ready;
    const stop = (running = new AbortController());
    said = [];
    output.appendLine(
      `── Measuring ${plan.subject.title}, ${plan.subject.place}, with ${ready.title} on ` +
        `${request.host.destination ?? 'this machine'}, ${new Date().toLocaleTimeString()}`,
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
            `${facts.gpus?.[0]?.name ?? 'no GPU'}, nvcc ${facts.nvcc?.version ?? '–'}, ` +
              `ncu${facts.ncu?.title?.includes('(replay)') ? ' (replay)' : ''} ` +
              `${facts.ncu?.version ?? '–'}`,
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

  function report(problem: ProfileProblem, again: Again): void {
    if (!logProblem(problem, output)) return;
    const place =
      problem instanceof BuildFailure
        ? problem.messages.find(
            ({ severity, file, line }) => severity === 'error' && file !== undefined && line !== undefined,
          )
        : undefined;
    // A problem of a profile is also a problem of a measurement, with the same remedies.
    const remedies = remediesOf(problem, { hasMessages: false, filtered: false }).filter((remedy) =>
      buttons.includes(remedy),
    );
    void profiling.asking
      .say(
        'error',
        `Warplens: ${problemText(problem)}`,
        ...(place ? ['Go to Error'] : []),
        ...remedies.map((remedy) => remedyTitles[remedy]),
      )
      .then(async (answer) => {
        if (answer === remedyTitles.output) output.show();
        else if (answer === remedyTitles.what) await again('ask');
        else if (answer === remedyTitles.host) {
          if ((await commands.executeCommand('warplens.profile.chooseHost')) !== undefined) await again('other host');
        } else if (answer === remedyTitles.settings)
          await commands.executeCommand('workbench.action.openSettings', 'warplens.profile');
        else if (answer && place)
          await window.showTextDocument(Uri.file(place.file!), {
            selection: new Range(place.line! - 1, (place.column ?? 1) - 1, place.line! - 1, (place.column ?? 1) - 1),
          });
      });
  }

  return {
    get said() {
      return said;
    },
    measure,
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
    ...(kernel !== undefined
      ? { kernel, changedKernel: kernel }
      : collect.kernel !== undefined
        ? { kernel: collect.kernel }
        : {}),
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
