// What of a document's findings its last commit does not have, for users who want to see those alone.
import type { Connection } from 'vscode-languageserver';
import { committedRequest, type CommittedAnswer, type CommittedParameters } from '../../../protocol/src/requests';
import { compare } from '../comparison/compare';
import { figuresOf, type FileFigures } from '../comparison/figures';
import type { ResolvedFinding } from '../lint/finding';
import type { ClientFeatures } from './clientFeatures';
import type { Folders } from './folders';
import type { Reading, Readings } from './readings';
import { within } from './waiting';

export interface News {
  /** The commit that the findings were compared with. */
  readonly commit: string;
  /** The finding is not in the commit, or is less grave there. */
  has(finding: ResolvedFinding): boolean;
}

export type Committed = ReturnType<typeof serveCommitted>;

/** Milliseconds for which the editor's answer is waited for. */
const patience = 4000;

export function serveCommitted({
  connection,
  client,
  folders,
  readings,
}: {
  readonly connection: Connection;
  readonly client: ClientFeatures;
  readonly folders: Folders;
  readonly readings: Readings;
}) {
  const known = new Map<string, { readonly commit: string; readonly figures: FileFigures }>();

  function askFor(uri: string): Promise<CommittedAnswer | null> {
    const commit = known.get(uri)?.commit;
    const parameters: CommittedParameters = { uri, ...(commit === undefined ? {} : { known: commit }) };
    return within(patience, connection.sendRequest<CommittedAnswer | null>(committedRequest, parameters), null);
  }

  return {
    /** Undefined where all findings are shown: by the setting, or since no commit has the file. */
    async newsOf(reading: Reading): Promise<News | undefined> {
      const { uri, text, model, gpu, result } = reading;
      if (!client.answersCommitted || folders.of(uri).settings.show !== 'changed') return undefined;
      const answer = await askFor(uri);
      if (!answer) return undefined;
      const { commit, text: committed } = answer;
      if (committed !== undefined) {
        const before = readings.asIf(reading, committed);
        if (!before.model) return undefined;
        known.set(uri, { commit, figures: figuresOf(uri, committed, before.model, before.findings, gpu) });
      }
      const before = known.get(uri);
      if (before?.commit !== commit) return undefined;
      const changes = compare([before.figures], [figuresOf(uri, text, model, result.findings, gpu)]).findings;
      const news = new Set(changes.map(({ after: { finding } }) => keyOf(finding)));
      return { commit, has: (finding) => news.has(keyOf(finding)) };
    },
    /** What the figures of these documents rest on, beside their texts, changed. */
    outdated(uris: readonly string[]): void {
      for (const uri of uris) known.delete(uri);
    },
  };
}

function keyOf({ rule, message, at }: ResolvedFinding): string {
  return `${rule} ${message} ${at.start} ${at.end}`;
}
