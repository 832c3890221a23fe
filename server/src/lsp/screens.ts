// Which lines of open documents are on screen, as far as the editor says so.
import type { Connection } from 'vscode-languageserver';
import { onScreenNotification, type OnScreenParameters } from '../../../protocol/src/requests';

/** Zero-based lines, the last one among them. */
export interface LinesOnScreen {
  readonly first: number;
  readonly last: number;
}

/** Milliseconds for which the editor's word of where a document is shown is waited for: more would delay the answer. */
const patience = 250;

export type Screens = ReturnType<typeof serveScreens>;
export function serveScreens(connection: Connection) {
  const known = new Map<string, LinesOnScreen>();
  const waiting = new Map<string, (() => void)[]>();
  connection.onNotification(onScreenNotification, (told: Partial<OnScreenParameters> | null) => {
    const { uri, first, last } = told ?? {};
    if (typeof uri !== 'string' || !Number.isInteger(first) || !Number.isInteger(last) || first! > last!) return;
    known.set(uri, { first: first!, last: last! });
    for (const go of waiting.get(uri) ?? []) go();
    waiting.delete(uri);
  });
  return {
    /** Resolves with the lines that are known; waits a moment for a document that has only just been opened. */
    async of(uri: string): Promise<LinesOnScreen | undefined> {
      if (!known.has(uri))
        await new Promise<void>((resolve) => {
          waiting.set(uri, [...(waiting.get(uri) ?? []), resolve]);
          setTimeout(resolve, patience);
        });
      return known.get(uri);
    },
    forget(uri: string): void {
      known.delete(uri);
      waiting.delete(uri);
    },
  };
}
