// Findings of the open documents in the order of what they cost by prediction: what "Problems by Cost" shows while no
// profile is.
import { workspace, type Uri } from 'vscode';
import { predictedOrder } from '../../../profiler/src/evidence/predictedOrder';
import { findingsRequest, type FindingsAnswer, type FoundFinding } from '../../../protocol/src/requests';
import { isReadable } from '../languages';
import { addressOf } from '../paths';
import type { Server } from '../server';

export interface PredictedProblem {
  readonly place: Uri;
  readonly finding: FoundFinding;
  /** Its cost as a part of the costliest one's, 0…1; 0 where nothing tells. */
  readonly part: number;
}

/** Findings from an information up, without marks of further places; the gravest and costliest first. */
export async function predictedProblems(
  server: Pick<Server, 'request'>,
  mostDocuments: number,
): Promise<readonly PredictedProblem[]> {
  const documents = workspace.textDocuments.filter((document) => !document.isClosed && isReadable(document));
  const answers = await Promise.all(
    documents.slice(0, mostDocuments).map(async ({ uri }) => {
      const asked = { uri: addressOf(uri) };
      const answer = await server.request<FindingsAnswer | null>(findingsRequest, asked).catch(() => null);
      return (answer?.findings ?? []).map((finding) => ({ place: uri, finding }));
    }),
  );
  const told = answers.flat().filter(({ finding }) => finding.severity !== 'hint' && !finding.mark);
  const most = told.reduce((highest, { finding }) => Math.max(highest, finding.cost ?? 0), 0);
  return predictedOrder(told, ({ finding }) => finding).map(({ place, finding }) => ({
    place,
    finding,
    part: most > 0 ? (finding.cost ?? 0) / most : 0,
  }));
}
