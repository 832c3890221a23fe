// The extension in a browser (vscode.dev, github.dev): findings, fixes and reports. What needs a process says so.
import { commands, env, Uri, window, type ExtensionContext } from 'vscode';
import { connectWorker } from './browserServer';
import type { EvidenceApi } from './evidence/activateEvidence';
import { activateEverywhere } from './everywhere';
import type { ProfileApi } from './profile/activateProfile';
import { createServer, type Server } from './server';

/** Commands that build, run or connect, with what they would do. */
const needsProcess: Readonly<Record<string, string>> = {
  'warplens.profile.run': 'Profiling runs nvcc and ncu',
  'warplens.profile.runKernel': 'Profiling runs nvcc and ncu',
  'warplens.profile.runAgain': 'Profiling runs nvcc and ncu',
  'warplens.profile.cancel': 'Profiling runs nvcc and ncu',
  'warplens.profile.showOutput': 'Profiling runs nvcc and ncu',
  'warplens.profile.chooseHost': 'A GPU host is reached by ssh',
  'warplens.profile.checkHost': 'A GPU host is reached by ssh',
  'warplens.measureFix': 'Measuring builds and runs the program',
  'warplens.sweepParameter': 'Measuring builds and runs the program',
  'warplens.history.show': 'The history lies on the disk of the machine that profiles',
  'warplens.history.compare': 'The history lies on the disk of the machine that profiles',
  'warplens.history.openReport': 'The history lies on the disk of the machine that profiles',
  'warplens.history.showChange': 'The history lies on the disk of the machine that profiles',
  'warplens.history.setBaseline': 'The history lies on the disk of the machine that profiles',
  'warplens.history.rename': 'The history lies on the disk of the machine that profiles',
  'warplens.history.describe': 'The history lies on the disk of the machine that profiles',
  'warplens.history.remove': 'The history lies on the disk of the machine that profiles',
  'warplens.history.showTable': 'The history lies on the disk of the machine that profiles',
  'warplens.history.export': 'The history lies on the disk of the machine that profiles',
  'warplens.readCompilerFeedback': 'What a compiler said is read from a build',
  'warplens.buildForCompilerFeedback': 'What a compiler said is read from a build',
  'warplens.clearCompilerFeedback': 'What a compiler said is read from a build',
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
  for (const [command, what] of Object.entries(needsProcess))
    extension.subscriptions.push(commands.registerCommand(command, () => pointToDesktop(what)));
  await server.start();
  return { server, profile, evidence };
}

async function pointToDesktop(what: string): Promise<void> {
  const how = 'How to Get It';
  const chosen = await window.showInformationMessage(
    `Warplens: ${what}, and a browser starts no programs. Open this folder in VS Code on your desktop for it.`,
    how,
  );
  if (chosen === how) await env.openExternal(Uri.parse('https://code.visualstudio.com/download'));
}
