// What analysis threads ask of the editor, and the progress that they show it.
import type { Message, NotificationMessage, RequestMessage, ResponseMessage } from 'vscode-languageserver/node';
import type { Lane } from './relayLanes';
import { notification } from './relayState';

export function createDialogue(send: (message: Message) => void, post: (lane: Lane, message: Message) => void) {
  /** Requests of threads, by the id under which the editor sees them. */
  const asked = new Map<string, { readonly lane: Lane; readonly id: RequestMessage['id'] }>();
  /** Progress bars that a thread has begun and not ended. */
  const bars = new Map<string | number, Lane>();
  return {
    /** A request of a thread. */
    ask(lane: Lane, message: RequestMessage): void {
      const { id, method } = message;
      // The editor is informed once; this holds for later threads too.
      if (lane.number > 1 && /^client\/|^window\/workDoneProgress\/create$/.test(method)) {
        post(lane, { jsonrpc: '2.0', id, result: null } as Message);
        return;
      }
      const seen = `${lane.number}:${id}`;
      asked.set(seen, { lane, id });
      send({ ...message, id: seen } as Message);
    },
    /** An answer of the editor. */
    answered(message: ResponseMessage): void {
      const asker = asked.get(String(message.id));
      if (!asker) return;
      asked.delete(String(message.id));
      post(asker.lane, { ...message, id: asker.id } as Message);
    },
    /** Whether the editor is to hear of this progress. */
    progress(lane: Lane, { params }: NotificationMessage): boolean {
      const { token, value } = (params ?? {}) as { token?: string | number; value?: { kind?: string } };
      if (lane.number > 1 || token === undefined) return false;
      if (value?.kind === 'end') bars.delete(token);
      else bars.set(token, lane);
      return true;
    },
    /** Nothing that the thread asked is waited for, and its progress is at its end. */
    ended(lane: Lane): void {
      for (const [id, { lane: asker }] of asked) if (asker === lane) asked.delete(id);
      for (const [token, owner] of bars) {
        if (owner !== lane) continue;
        bars.delete(token);
        send(notification('$/progress', { token, value: { kind: 'end' } }));
      }
    },
  };
}
