// Sends each open document the diagnostics of the thread that serves it, to editors that do not ask for them.
import type { Message } from 'vscode-languageserver/node';
import type { Lane } from './relayLanes';
import { notification, type RelayState } from './relayState';

interface Documents {
  laneOf(uri: string): Lane | undefined;
  isRefused(uri: string): boolean;
  state(): RelayState;
}

export function createPublications({ laneOf, isRefused, state }: Documents, send: (message: Message) => void) {
  /** What the editor was last sent of each open document. */
  const shown = new Map<string, Message>();

  /** Has the thread that serves a document yet to publish its text? */
  function isUnpublished(uri: string): boolean {
    const version = laneOf(uri)?.published.get(uri)?.params.version;
    return !state().client.pullsDiagnostics && version !== state().versionOf(uri);
  }

  return {
    isUnpublished,
    /** Shows what the thread that serves a document found last in the text on screen. */
    publish(uri: string): void {
      const message = isRefused(uri) ? undefined : laneOf(uri)?.published.get(uri);
      if (!message || isUnpublished(uri) || shown.get(uri) === message) return;
      shown.set(uri, message);
      send(message);
    },
    /** Sends diagnostics that come from no thread. */
    say(uri: string, diagnostics: readonly object[]): void {
      shown.delete(uri);
      send(notification('textDocument/publishDiagnostics', { uri, diagnostics }));
    },
  };
}
