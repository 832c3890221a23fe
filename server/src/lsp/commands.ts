// The commands that the server runs itself, and the request for a file's model.
import {
  serverCommands,
  modelRequest,
  type ExplainAnswer,
  type ModelAnswer,
  type ModelParameters,
} from '../../../protocol/src/requests';
import { docsUrlOf } from '../lint/finding';
import { unknownRule } from '../lint/settings';
import { rulePage } from '../rules/page';
import { registry } from '../rules/registry';
import type { RuleMeta } from '../rules/rule';
import { chosenEdit, isActionData } from './codeActions';
import { modelText } from './modelText';
import { guarded, inform, quietly, warn, type Session } from './session';

export function serveCommands(session: Session): void {
  const { connection, client, readings } = session;

  const model = (uri: string): ModelAnswer | null => {
    const reading = readings.nowOrWhy(uri);
    if (!reading) return null;
    return { text: 'refused' in reading ? `${reading.refused}\n` : modelText(reading, session) };
  };

  const explain = (id: string): ExplainAnswer | null => {
    const metas = registry.map((rule) => rule.meta as RuleMeta);
    const meta = metas.find((each) => each.id === id);
    if (!meta) {
      const known = metas.map((each) => each.id);
      warn(session, `Warplens: ${unknownRule(id, known)}`);
      return null;
    }
    const url = docsUrlOf(id);
    if (client.showDocument) quietly(() => connection.window.showDocument({ uri: url, external: true }));
    return { id, url, markdown: rulePage(meta) };
  };

  connection.onRequest(
    modelRequest,
    guarded(session, modelRequest, null as ModelAnswer | null, ({ uri }: ModelParameters) => model(uri)),
  );
  connection.onExecuteCommand(
    guarded(session, 'workspace/executeCommand', null as unknown, async ({ command, arguments: given = [] }, token) => {
      const [first] = given as unknown[];
      if (command === serverCommands.explain && typeof first === 'string') return explain(first);
      if (command === serverCommands.model && typeof first === 'string') return model(first);
      if (command === serverCommands.makeEdits && isActionData(first)) {
        const edit = await chosenEdit(session, first, token);
        quietly(() => connection.workspace.applyEdit(edit));
        return null;
      }
      if (command === serverCommands.whyNoFix && typeof first === 'string') {
        inform(session, first);
        return first;
      }
      warn(
        session,
        `Warplens: ${command} wants ` +
          `${command === serverCommands.model ? 'the URI of an open document' : 'the id of a rule'} as its ` +
          'argument.',
      );
      return null;
    }),
  );
}
