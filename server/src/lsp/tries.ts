// Fixes as they are tried for menus, hovers and trees, once for each reading.
import type { CancellationToken, WorkspaceEdit } from 'vscode-languageserver';
import type { ResolvedFinding } from '../lint/finding';
import { createTrials, type Trials } from '../workspace/trials';
import type { Reading, Readings } from './readings';
import type { Session } from './session';

export interface Tries {
  readonly trials: Trials;
  /** The edits of several fixes at once, by what asked for them. */
  readonly several: Map<string, WorkspaceEdit | string>;
}

const known = new WeakMap<Reading, Tries>();

/** Shared by all that asks for a reading: a fix is tried once. */
export function triesOf(reading: Reading, readings: Pick<Readings, 'asIf'>): Tries {
  let tries = known.get(reading);
  if (!tries) {
    const { uri, gpu } = reading;
    const trials = createTrials(uri, (text) => {
      if (text === reading.text) return { text, model: reading.model, gpu, findings: reading.result.findings };
      const { model, findings } = readings.asIf(reading, text);
      return model && { text, model, gpu, findings };
    });
    known.set(reading, (tries = { trials, several: new Map() }));
  }
  return tries;
}

/** Tries the fixes of these findings, with others served in between; false where the answer is not wanted any more. */
export async function tryAll(
  findings: readonly ResolvedFinding[],
  reading: Reading,
  { readings, documents }: Pick<Session, 'readings' | 'documents'>,
  token: CancellationToken,
): Promise<boolean> {
  const { trials } = triesOf(reading, readings);
  for (const finding of findings)
    for (const fix of finding.fixes) {
      await readings.breath();
      if (token.isCancellationRequested || documents.get(reading.uri)?.version !== reading.version) return false;
      readings.working(reading.uri, () => trials.of(reading.text, finding, fix));
    }
  return true;
}
