// What a compiler made of documents, for verdicts on their findings, until it is asked again.
import { EventEmitter, type Disposable, type Event, type TextDocument } from 'vscode';
import type { FindingEvidence } from '../../../protocol/src/evidence';
import type { FoundFinding } from '../../../protocol/src/requests';
import { carryLines } from '../../../profiler/src/lines/carryOver';
import type { MachineCode } from '../../../profiler/src/witness/machineCode';
import { isJudgeable, judgeFindings } from '../../../profiler/src/witness/witness';

export interface CompiledDocument {
  /** Path as the compiler wrote it. */
  readonly file: string;
  /** The text that was compiled. */
  readonly text: string;
  readonly code: readonly MachineCode[];
}

/** What judges findings of a document besides a report. */
export interface Witness {
  readonly onDidChange: Event<void>;
  has(document: TextDocument): boolean;
  /** One for each finding, in their order; undefined for those that it does not decide. */
  judge(document: TextDocument, findings: readonly FoundFinding[]): (FindingEvidence | undefined)[];
}

export interface Witnessed extends Disposable, Witness {
  set(document: TextDocument, compiled: CompiledDocument): void;
}

const states = { confirmed: 'confirmed', refuted: 'refuted', unseen: 'unmeasured' } as const;

export function createWitnessed(): Witnessed {
  const changed = new EventEmitter<void>();
  const compiled = new Map<string, CompiledDocument>();
  return {
    onDidChange: changed.event,
    has: ({ uri }) => compiled.has(uri.toString()),
    set({ uri }, one) {
      compiled.set(uri.toString(), one);
      changed.fire();
    },
    judge(document, findings) {
      const one = compiled.get(document.uri.toString());
      if (!one) return findings.map(() => undefined);
      const { lineNow } = carryLines(document.getText(), one.text);
      const placed = findings.map(({ rule, message, range }) => {
        const from = lineNow(range.start.line + 1);
        const to = lineNow(range.end.line + 1);
        return from === undefined || to === undefined ? undefined : { rule, message, from, to };
      });
      const known = placed.filter((finding) => finding !== undefined);
      const verdicts = new Map(judgeFindings(known, one.file, one.code).map((said, at) => [known[at]!, said] as const));
      return findings.map((finding, at): FindingEvidence | undefined => {
        if (!isJudgeable(finding)) return undefined;
        const place = placed[at];
        if (!place)
          return { state: 'unmeasured', text: 'Compiler: the line has changed since it was compiled.', cost: 0 };
        const verdict = verdicts.get(place);
        return verdict && { state: states[verdict.state], text: verdict.text, cost: 0 };
      });
    },
    dispose: () => changed.dispose(),
  };
}
