// `warplens profile --gate`: what it reads before the run, its decision after the run, as text and as JSON.
import { rowLabel, seriesOf } from '../../profiler/src/history/table';
import { readHistory } from '../../profiler/src/history/stepStore';
import { seriesNameOf, type Step } from '../../profiler/src/history/steps';
import {
  judgeStep,
  parseMeasuredGate,
  stepNamed,
  unmatched,
  type Judgement,
  type MeasuredCondition,
} from './profileGate';
import { cleanName } from './terminalText';

export interface Gate {
  readonly conditions: readonly MeasuredCondition[];
  /** As the user names the step. */
  readonly against: string;
}

export interface Judged {
  readonly judgements: readonly Judgement[];
  /** The step compared with; undefined without a gate. */
  readonly against?: { readonly name: string; readonly report: string };
  readonly notes: readonly string[];
}

/** The conditions, and whether the step exists: checked before a run of minutes. */
export async function openGate(
  flags: { readonly gate?: readonly string[]; readonly against?: string },
  store: string,
): Promise<Gate | { readonly problem: string }> {
  const against = flags.against ?? 'baseline';
  if (flags.gate === undefined) return { conditions: [], against };
  const conditions = parseMeasuredGate(flags.gate.join(','));
  if ('problem' in conditions) return conditions;
  const { steps, baselines, broken } = await readHistory(store);
  if (broken) return { problem: `The table of steps in ${store} cannot be read, so there is nothing to compare with.` };
  const found = stepNamed(against, steps, baselines);
  return 'problem' in found ? found : { conditions, against };
}

/** Compares a new step with the named one of the same program. */
export async function judgeResult(
  { conditions, against }: Gate,
  step: Step,
  store: string,
): Promise<Judged | { readonly problem: string }> {
  if (conditions.length === 0) return { judgements: [], notes: [] };
  const { steps, baselines } = await readHistory(store);
  const others = steps.filter(({ number }) => number !== step.number);
  const found = stepNamed(against, others, baselines, seriesNameOf(step));
  if ('problem' in found)
    return {
      problem: `${found.problem} The new step was kept; the gate compares steps of one program.`,
    };
  const row = seriesOf(steps, baselines)
    .flatMap(({ rows }) => rows)
    .find((each) => each.step.number === found.step.number);
  const { come, gone } = unmatched(found.step, step);
  const elsewhere =
    found.step.device !== step.device && step.device !== undefined
      ? [`The step before ran on ${found.step.device ?? 'an unknown GPU'}, this one on ${step.device}.`]
      : [];
  return {
    judgements: judgeStep(conditions, found.step, step),
    against: { name: row ? rowLabel(row) : found.step.label, report: found.step.report },
    notes: [
      ...elsewhere,
      ...(come.length > 0 ? [`New, not compared: ${come.join(', ')}.`] : []),
      ...(gone.length > 0 ? [`Only in the step before: ${gone.join(', ')}.`] : []),
    ],
  };
}

/** The state behind the exit code: a gate that compared nothing is undecided. */
export function gateVerdict({ judgements, against }: Judged): Judgement['verdict'] {
  const has = (wanted: Judgement['verdict']): boolean => judgements.some(({ verdict }) => verdict === wanted);
  if (has('breaks')) return 'breaks';
  return has('undecided') || (against !== undefined && judgements.length === 0) ? 'undecided' : 'holds';
}

/** Empty without a gate. */
export function gateText({ judgements, against, notes }: Judged): string {
  if (!against) return '';
  const signs = { holds: 'ok    ', breaks: 'FAILED', undecided: 'UNDECIDED' } as const;
  const lines = judgements.map(({ verdict, sentence }) => `  ${signs[verdict]} ${cleanName(sentence)}`);
  const broken = judgements.filter(({ verdict }) => verdict === 'breaks').length;
  const open = judgements.filter(({ verdict }) => verdict === 'undecided').length;
  const end =
    broken > 0
      ? `The gate fails: ${broken} of ${judgements.length} conditions on kernels do not hold.`
      : open > 0
        ? `The gate is undecided: ${open} of ${judgements.length} conditions on kernels are open.`
        : judgements.length === 0
          ? 'The gate compared nothing: the two steps have no kernel in common.'
          : 'The gate passes.';
  return [
    `Against ${cleanName(against.name)} (${cleanName(against.report)}):`,
    ...lines,
    ...notes.map((note) => `  note: ${cleanName(note)}`),
    end,
    '\n',
  ].join('\n');
}

/** The property `gate` of the JSON; none without a gate. */
export function gateJson({ judgements, against, notes }: Judged): object {
  if (!against) return {};
  return {
    gate: {
      against,
      passes: gateVerdict({ judgements, against, notes }) === 'holds',
      conditions: judgements.map(({ condition, ...rest }) => ({
        condition: condition.text,
        metric: condition.metric,
        ...rest,
      })),
      notes,
    },
  };
}
