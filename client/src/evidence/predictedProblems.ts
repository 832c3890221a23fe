// Findings of open and checked documents, costliest first: "Problems by Cost" where no profile is shown.
import { workspace, type Uri } from 'vscode';
import { predictedOrder } from '../../../profiler/src/evidence/predictedOrder';
import { findingsRequest, type FindingsAnswer, type FoundFinding } from '../../../protocol/src/requests';
import { isReadable } from '../languages';
import { addressOf } from '../paths';
import type { Server } from '../server';
import type { FolderCheck } from './checkFolder';

export interface PredictedProblem {
  readonly place: Uri;
  readonly finding: FoundFinding;
  /** Its cost as a part of the costliest one's, 0…1; 0 where nothing tells. */
  readonly part: number;
}

export interface PredictedProblems {
  readonly problems: readonly PredictedProblem[];
  /** Hints that are not listed. */
  readonly hidden: number;
}

/** Findings without marks of further places, hints where they are asked for; the gravest and costliest first. */
export async function predictedProblems(
  server: Pick<Server, 'request'>,
  mostDocuments: number,
  listsHints: boolean,
  checked: ReturnType<FolderCheck['closedFiles']>,
): Promise<PredictedProblems> {
  const documents = workspace.textDocuments.filter(
    (document) => !document.isClosed && isReadable(document) && !checked.has(String(document.uri)),
  );
  const answers = await Promise.all(
    documents.slice(0, mostDocuments).map(async ({ uri }) => {
      const asked = { uri: addressOf(uri), tries: true };
      const answer = await server.request<FindingsAnswer | null>(findingsRequest, asked).catch(() => null);
      return (answer?.findings ?? []).map((finding) => ({ place: uri, finding }));
    }),
  );
  const all = [...answers, ...checked.values()].flat().filter(({ finding }) => !finding.mark);
  const listed = listsHints ? all : all.filter(({ finding }) => finding.severity !== 'hint');
  const most = listed.reduce((highest, { finding }) => Math.max(highest, finding.cost ?? 0), 0);
  const problems = predictedOrder(listed, ({ finding }) => finding).map(({ place, finding }) => ({
    place,
    finding,
    part: most > 0 ? (finding.cost ?? 0) / most : 0,
  }));
  return { problems, hidden: all.length - listed.length };
}
