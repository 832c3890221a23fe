// The extension in a browser (vscode.dev, github.dev): findings, fixes and reports. What needs a process says so.
import { commands, env, Uri, window, workspace, type ExtensionContext } from 'vscode';
import { connectWorker } from './browserServer';
import type { EvidenceApi } from './evidence/activateEvidence';
import { activateEverywhere } from './everywhere';
import type { ProfileApi } from './profile/activateProfile';
import { isReadable } from './languages';
import { startWhenNeeded } from './startServer';
import { createServer, type Server } from './server';

/** Commands that build, run or connect, below what they would do. */
const needsProcess: Readonly<Record<string, readonly string[]>> = {
  'Profiling runs nvcc and ncu': [
    'warplens.profile.run',
    'warplens.profile.runKernel',
    'warplens.profile.runAgain',
    'warplens.profile.sanitize',
    'warplens.profile.cancel',
    'warplens.profile.showOutput',
  ],
  'A GPU host is reached by ssh': ['warplens.profile.chooseHost', 'warplens.profile.checkHost'],
  'Measuring builds and runs the program': ['warplens.measureFix', 'warplens.sweepParameter'],
  'The history is stored on the disk of the profiling machine': [
    'warplens.history.show',
    'warplens.history.compare',
    'warplens.history.openReport',
    'warplens.history.showChange',
    'warplens.history.setBaseline',
    'warplens.history.rename',
    'warplens.history.describe',
    'warplens.history.remove',
    'warplens.history.showTable',
    'warplens.history.export',
  ],
  'Compiler feedback is read from a build': [
    'warplens.readCompilerFeedback',
    'warplens.buildForCompilerFeedback',
    'warplens.clearCompilerFeedback',
  ],
  'Compilers run on a desktop': ['warplens.askCompiler'],
};

export async function activate(extension: ExtensionContext): Promise<{
  readonly server: Server;
  readonly profile: ProfileApi;
  readonly evidence: EvidenceApi;
}> {
  const log = window.createOutputChannel('Warplens', { log: true });
  const server = createServer(connectWorker(extension.extensionUri), log);
  extension.subscriptions.push(log, { dispose: () => void server.stop() });
  const { profile, evidence } = activateEverywhere({ extension, server });
  for (const [what, named] of Object.entries(needsProcess))
    for (const command of named)
      extension.subscriptions.push(commands.registerCommand(command, () => pointToDesktop(what)));
  await startWhenNeeded({ extension, server }, workspace, isReadable);
  return { server, profile, evidence };
}

async function pointToDesktop(what: string): Promise<void> {
  const how = 'How to Get It';
  const chosen = await window.showInformationMessage(
    `Warplens: ${what}, which a browser cannot do. Open this folder in VS Code on the desktop.`,
    how,
  );
  if (chosen === how) await env.openExternal(Uri.parse('https://code.visualstudio.com/download'));
}
