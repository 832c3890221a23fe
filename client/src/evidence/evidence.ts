// What the shown profile says of the findings in a document: the findings of the server against the report.
import { EventEmitter, type Uri, Disposable, type Event, type TextDocument } from 'vscode';
import type { FindingEvidence } from '../../../protocol/src/evidence';
import { findingsRequest, type FindingsAnswer } from '../../../protocol/src/requests';
import type { JoinedFinding } from '../../../profiler/src/evidence/costOrder';
import { joinEvidence, stakeLines, type EvidenceSource } from '../../../profiler/src/evidence/joinEvidence';
import { carryLines, codeChanges, linesNow } from '../../../profiler/src/lines/carryOver';
import { dependentLines } from '../../../profiler/src/lines/dependents';
import { isReadable } from '../languages';
import { addressOf } from '../paths';
import type { Profile, ProfileStore } from '../profile/store';
import type { Timelines } from '../timeline/timelines';
import type { Server } from '../server';
import type { Witness } from './witnessed';

export interface DocumentEvidence {
  readonly joined: readonly JoinedFinding[];
  readonly sources: readonly EvidenceSource[];
}

export interface Evidence extends Disposable {
  /** Counts the reports and kernels shown so far: verdicts of another generation no longer hold. */
  readonly generation: number;
  /** Heard when other verdicts hold: another report or kernel is shown, or its sources were found elsewhere. */
  readonly onDidChange: Event<void>;
  /** Heard when the verdicts of a document were made out. */
  readonly onDidJoin: Event<Uri>;
  /** Undefined where the shown profile has no such file, or none is shown. */
  of(document: TextDocument): Promise<DocumentEvidence | undefined>;
  /** The findings that touch a line (from 1) or put its samples at stake, as last made out. */
  at(document: TextDocument, line: number): readonly JoinedFinding[];
}

export function createEvidence(
  server: Pick<Server, 'request'>,
  store: ProfileStore,
  timelines: Pick<Timelines, 'active' | 'onDidChange' | 'join'>,
  witnesses: readonly Witness[],
): Evidence {
  const changed = new EventEmitter<void>();
  const joinedNow = new EventEmitter<Uri>();
  const made = new Map<
    string,
    { readonly version: number; readonly generation: number; readonly answer: Promise<DocumentEvidence | undefined> }
  >();
  const last = new Map<string, DocumentEvidence>();
  let generation = 0;
  let shown = '';
  let profile: Profile | undefined;

  const renew = (): void => {
    generation++;
    made.clear();
    last.clear();
    changed.fire();
  };
  const storeChanged = store.onDidChange(() => {
    // Another metric shows other words on the lines, but gives no other verdict.
    const now = store.active
      ? [
          store.kernel ?? '',
          ...[...store.active.places].map(([path, { location, uri }]) => `${path} ${location.state} ${String(uri)}`),
        ].join('\n')
      : '';
    if (now === shown && profile === store.active) return;
    shown = now;
    profile = store.active;
    renew();
  });
  const heard = [storeChanged, ...[timelines, ...witnesses].map(({ onDidChange }) => onDidChange(renew))];
  const isWitnessed = (document: TextDocument): boolean => witnesses.some((each) => each.has(document));

  async function join(document: TextDocument, active: Profile | undefined): Promise<DocumentEvidence | undefined> {
    const key = document.uri.toString();
    const places = active ? [...active.places].filter(([, { uri }]) => uri?.toString() === key) : [];
    if (places.length === 0 && !timelines.active && !isWitnessed(document)) return undefined;
    const answer = await server
      .request<FindingsAnswer | null>(findingsRequest, {
        uri: addressOf(document.uri),
        ...(timelines.active ? { times: true } : {}),
      })
      .catch(() => null);
    if (!answer) return undefined;
    const text = document.getText();
    const sources = places.flatMap(([file, { profiled }]): EvidenceSource[] => {
      if (profiled === undefined) return [];
      const back = carryLines(text, profiled);
      const stale = dependentLines(profiled, text);
      return [
        {
          file,
          lineOf: (line) => (stale.has(line) ? undefined : back.lineNow(line)),
          changedWithin: codeChanges(text, profiled, back.lineNow),
          lineNow: linesNow(profiled, text),
        },
      ];
    });
    const measured =
      active && places.length > 0
        ? joinEvidence(answer.findings, {
            report: active.name,
            kernels: active.kernels,
            sources,
            unsure: places.every(([, { location }]) => location.state === 'unsure'),
            ...(store.kernel !== undefined ? { shown: store.kernel } : {}),
          })
        : [];
    const judged = witnesses.map((each) => each.judge(document, answer.findings));
    const timed = (await timelines.join(document, answer.findings)) ?? [];
    return {
      sources,
      joined: answer.findings.map((finding, at) => {
        const evidence = judged.reduce((sum, each) => inOne(sum, each[at]), measured[at] ?? timed[at]);
        return { finding, ...(evidence ? { evidence } : {}) };
      }),
    };
  }

  return {
    get generation() {
      return generation;
    },
    onDidChange: changed.event,
    onDidJoin: joinedNow.event,
    async of(document) {
      const active = store.active;
      if ((!active && !timelines.active && !isWitnessed(document)) || !isReadable(document)) return undefined;
      const key = document.uri.toString();
      const { version } = document;
      const known = made.get(key);
      if (known?.version === version && known.generation === generation) return known.answer;
      const answer = join(document, active);
      const entry = { version, generation, answer };
      made.set(key, entry);
      const found = await answer;
      if (made.get(key) === entry) {
        if (found) last.set(key, found);
        else last.delete(key);
        // What the server could not answer is asked again.
        if (!found) made.delete(key);
        joinedNow.fire(document.uri);
      }
      return found;
    },
    at: (document, line) =>
      (last.get(document.uri.toString())?.joined ?? []).filter(
        ({ finding, evidence }) =>
          (finding.range.start.line < line && line <= finding.range.end.line + 1) ||
          (evidence?.state === 'confirmed' && stakeLines(finding).includes(line)),
      ),
    dispose: () => Disposable.from(...heard, changed, joinedNow).dispose(),
  };
}

/** Hardware counts for the state and the cost; what the compiler says stands below it. */
function inOne(
  measured: FindingEvidence | undefined,
  judged: FindingEvidence | undefined,
): FindingEvidence | undefined {
  if (!measured || !judged) return measured ?? judged;
  const { state } = measured.state === 'unmeasured' ? judged : measured;
  return { ...measured, state, text: `${measured.text}\n${judged.text}` };
}
