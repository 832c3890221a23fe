// Starts the language server and wires the features; each feature is a file of its own.
import { window, type ExtensionContext } from 'vscode';
import type { FeatureContext } from './featureContext';
import { activateEvidence, type EvidenceApi } from './evidence/activateEvidence';
import { activateAgents, type AgentsApi } from './features/agents';
import { activateCompilerFeedback, type CompilerFeedbackApi } from './features/compilerFeedback';
import { activateExplainRule } from './features/explainRule';
import { activateFixAll } from './features/fixAll';
import { activateRestartServer } from './features/restartServer';
import { activateShowModel } from './features/showModel';
import { activateShowOutput } from './features/showOutput';
import { activateStatus } from './features/status';
import { activateTypedDirectives } from './features/typedDirectives';
import { activateWalkthrough } from './features/walkthrough';
import { activateProfile, type ProfileApi } from './profile/activateProfile';
import { activateHistory, type HistoryFeature } from './history/activateHistory';
import { activateProfiling } from './profiling/activateProfiling';
import type { Profiling } from './profiling/profiling';
import { createServer, type Server } from './server';
import { activateTrial, type TrialFeature } from './trial/activateTrial';

const features: readonly ((context: FeatureContext) => void)[] = [
  activateStatus,
  activateShowOutput,
  activateRestartServer,
  activateExplainRule,
  activateShowModel,
  activateFixAll,
  activateWalkthrough,
  activateTypedDirectives,
];

export async function activate(extension: ExtensionContext): Promise<{
  readonly server: Server;
  readonly profile: ProfileApi;
  readonly evidence: EvidenceApi;
  readonly history: HistoryFeature;
  readonly profiling: Profiling;
  readonly trial: TrialFeature;
  readonly compilerFeedback: CompilerFeedbackApi;
  readonly agents: AgentsApi;
}> {
  const log = window.createOutputChannel('Warplens', { log: true });
  const server = createServer(extension.asAbsolutePath('dist/server.js'), log);
  extension.subscriptions.push(log, { dispose: () => void server.stop() });
  for (const activateFeature of features) activateFeature({ extension, server });
  const compilerFeedback = activateCompilerFeedback({ extension, server });
  const profile = activateProfile({ extension });
  const evidence = activateEvidence({ extension, server }, profile);
  const history = activateHistory({ extension }, profile.store);
  profile.pages.useBaselines(async (report) => history.baselineOf(report));
  profile.pages.useSteps(() => history.reports());
  const profiling = activateProfiling({
    extension,
    server,
    store: profile.store,
    overlay: profile.overlay,
    gainOf: (kernel) => history.gainOf(kernel),
    gainsOf: (store, step) => history.gainsOf(store, step),
    onDidChangeGains: history.onDidChange,
    added: () => history.histories.refresh(),
  });
  const trial = activateTrial({ extension, server, profiling });
  const agents = activateAgents({ extension });
  await server.start();
  return { server, profile, evidence, history, profiling, trial, compilerFeedback, agents };
}
