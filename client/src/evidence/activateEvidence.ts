// Wires the evidence: verdicts in diagnostics, hints and hovers, and the view of problems by cost.
import type { FeatureContext } from '../featureContext';
import type { ProfileApi } from '../profile/activateProfile';
import { createFolderCheck } from './checkFolder';
import { createEvidence, type Evidence } from './evidence';
import { createHintFilter } from './hintFilter';
import { createProblemsByCost, type ProblemsByCost } from './problemsByCost';
import { createSanitized, type Sanitized } from './sanitized';
import { createWitnessed, type Witnessed } from './witnessed';
import { wordDiagnostics } from './wordedDiagnostics';

/** What tests look at. */
export interface EvidenceApi {
  readonly evidence: Evidence;
  readonly problems: ProblemsByCost;
  readonly witnessed: Witnessed;
  readonly sanitized: Sanitized;
}

/** To be called before the server starts. */
export function activateEvidence(
  { extension, server }: FeatureContext,
  { store, overlay, hover, timelines }: ProfileApi,
): EvidenceApi {
  const witnessed = createWitnessed();
  const sanitized = createSanitized();
  const evidence = createEvidence(server, store, timelines, [witnessed, sanitized]);
  const filter = createHintFilter(extension.workspaceState);
  const folder = createFolderCheck(server);
  const problems = createProblemsByCost(server, store, evidence, filter, overlay, folder);
  server.use(wordDiagnostics(evidence, overlay));
  hover.tellEvidence((document, line) => evidence.at(document, line));
  extension.subscriptions.push(
    evidence,
    problems,
    filter,
    folder,
    witnessed,
    sanitized,
    evidence.onDidChange(() => server.refresh('diagnostics')),
    overlay.onDidDraw(() => server.refresh('hints')),
    // A report may be opened before the server answers.
    server.onDidChangeState((state) => {
      if (state === 'running') problems.renew();
    }),
  );
  return { evidence, problems, witnessed, sanitized };
}
