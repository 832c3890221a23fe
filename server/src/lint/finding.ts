// What linting yields: findings with words, severity and address settled, for an editor, a terminal or SARIF.
import type { FoundFinding } from '../../../protocol/src/requests';
import type { Said } from '../cost/grade';
import type { Reason, Refusal, Span } from '../semantic/model';
import type { Fix, Severity, Waste } from '../rules/rule';

/** Where the rule pages of a release stand. */
export const docsBase = 'https://github.com/warplens/warplens/blob/main/docs/rules/';
export function docsUrlOf(id: string): string {
  return `${docsBase}${id}.md`;
}

export interface ResolvedFinding {
  readonly rule: string; // cuda/bank-conflict; `warplens/…` for findings about suppression comments
  readonly message: string; // id of the message within the rule
  readonly text: string;
  readonly severity: Severity;
  /** The user chose the severity, or called the file quiet. */
  readonly bySetting?: true;
  /** What a comment says of the time of its function or construct. */
  readonly said?: Said;
  readonly at: Span;
  /** Of what is reported at a call into another file: the place in that file. */
  readonly calleeAt?: Span;
  readonly related: readonly Reason[];
  /** Where a profile counts what it is about, where that is not on its own lines. */
  readonly measuredAt?: readonly Span[];
  /** What its cost runs in, where that is more. */
  readonly atStake?: readonly Span[];
  readonly confidence: 'proven' | 'assumed';
  /** How a run confirms or refutes it. */
  readonly confirm?: string;
  /** What it says is wasted; absent for what is wrong at any speed. */
  readonly waste?: Waste['kind'];
  /** The part of its kernel's predicted traffic or work that it stands for, 0…1; absent where nothing tells. */
  readonly share?: number;
  /** The kernel that the share is of. */
  readonly kernel?: string;
  /** A kernel of the file that is launched so many times as often as that one, and is no smaller. */
  readonly heavier?: { readonly name: string; readonly times: number } | undefined;
  /**
   * What findings are ordered by: cycles of one multiprocessor, roughly, that all launches are expected to save; where
   * no time is predicted, those that they spend there.
   */
  readonly cost?: number;
  /** Time of the kernel now over its time without the waste, least and most; absent for what is wrong at any speed. */
  readonly gain?: readonly [number, number];
  /** What is expected of it over what the code leaves open, with the data that cost least. */
  readonly expectedGain?: number;
  /** The other places of the same cause, array and kernel. */
  readonly places?: readonly Reason[];
  /** The function that contains it, or whose kernels reach it, where that is known. */
  readonly within?: string;
  /** The definitions, in the same file, of the kernels that it is about. */
  readonly kernelsAt?: readonly Span[];
  /** Present on what only marks such a place: where the finding itself stands. */
  readonly markOf?: Span;
  /** The severity that a mark would have without that finding. */
  readonly alone?: Severity;
  readonly fixes: readonly Fix[];
  /** Present where its fixes were tried. */
  readonly verdict?: FoundFinding['verdict'];
  /** Of a finding without fixes: what the families that came near failed on. */
  readonly refusals?: readonly Refusal[];
  readonly docsUrl: string;
  /** The rule's data, for tables and evidence. */
  readonly data: Readonly<Record<string, string | number>>;
}

export const severities: readonly Severity[] = ['hint', 'information', 'warning', 'error'];

/** True where `severity` is at least as grave as `least`. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}
export function isSeverity(text: string): text is Severity {
  return (severities as readonly string[]).includes(text);
}
