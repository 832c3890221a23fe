// The extension on a machine with processes and a disk: starts the language server and wires the features.
import { homedir } from 'node:os';
import { window, workspace, type ExtensionContext } from 'vscode';
import { foldersOfReport } from '../../profiler/src/history/stepStore';
import { openFileSource } from '../../profiler/src/transport/fileByteSource';
import type { EvidenceApi } from './evidence/activateEvidence';
import { activateEverywhere } from './everywhere';
import { activateAskCompiler } from './features/askCompiler';
import { activateAgents, type AgentsApi } from './features/agents';
import { activateCompilerFeedback, type CompilerFeedbackApi } from './features/compilerFeedback';
import { activateHistory, type HistoryFeature } from './history/activateHistory';
import { connectProcess } from './nodeServer';
import type { ProfileApi } from './profile/activateProfile';
import { useDisk } from './profile/store';
import { activateSanitizer } from './profiling/activateSanitizer';
import { activateProfiling } from './profiling/activateProfiling';
import type { Profiling } from './profiling/profiling';
import { isReadable } from './languages';
import { startWhenNeeded } from './startServer';
import { createServer, type Server } from './server';
import { activateTrial, type TrialFeature } from './trial/activateTrial';

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
  const server = createServer(connectProcess(extension.asAbsolutePath('dist/server.js')), log);
  extension.subscriptions.push(log, { dispose: () => void server.stop() });
  useDisk({
    openReport: async (uri) => (uri.scheme === 'file' ? openFileSource(uri.fsPath) : undefined),
    foldersOf: (report) => foldersOfReport(report.fsPath),
    home: homedir,
  });
  const { profile, evidence } = activateEverywhere({ extension, server });
  const compilerFeedback = activateCompilerFeedback({ extension, server });
  activateAskCompiler({ extension, server }, evidence.witnessed);
  const history = activateHistory({ extension }, profile.store);
  profile.pages.useBaselines(async (report) => history.baselineOf(report));
  profile.pages.useSteps(history.reports);
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
  activateSanitizer({ extension }, profiling, evidence.sanitized);
  const trial = activateTrial({ extension, server, profiling });
  const agents = activateAgents({ extension });
  await startWhenNeeded({ extension, server }, workspace, isReadable);
  return { server, profile, evidence, history, profiling, trial, compilerFeedback, agents };
}
