// *Ask the Compiler About This File*: compiles the document with nvcc for verdicts on its findings.
import { realpathSync } from 'node:fs';
import { commands, ProgressLocation, window, workspace } from 'vscode';
import { compilationRequest, type Compilation } from '../../../protocol/src/compilation';
import { preflight } from '../../../profiler/src/preflight/preflight';
import { openHost } from '../../../profiler/src/transport/openHost';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import { askCompiler, type CompiledSource } from '../../../profiler/src/witness/askCompiler';
import type { Witnessed } from '../evidence/witnessed';
import type { FeatureContext } from '../featureContext';
import { addressOf } from '../paths';
import { problemText } from '../profiling/problemWords';
import { hostChoiceOf } from '../profiling/runConfiguration';
import { rootOf, settingsOf } from '../profiling/settings';

export const askCompilerCommand = 'warplens.askCompiler';

export function activateAskCompiler({ extension, server }: FeatureContext, witnessed: Witnessed): void {
  async function ask(): Promise<void> {
    const document = window.activeTextEditor?.document;
    const root = rootOf(document?.uri);
    if (!document || root === undefined || document.uri.scheme !== 'file' || !document.fileName.endsWith('.cu')) {
      void window.showInformationMessage('Open a .cu file of this machine: a compiler takes no other.');
      return;
    }
    if (!workspace.isTrusted) {
      void window.showWarningMessage('Warplens does not run compilers in an untrusted workspace. Trust it first.');
      return;
    }
    if (document.isDirty && !(await document.save())) return;
    const text = document.getText();
    try {
      const file = realpathSync(document.fileName);
      const said = await window.withProgress(
        { location: ProgressLocation.Notification, title: 'Warplens: compiling with nvcc…', cancellable: true },
        async (_progress, token) => {
          const stop = new AbortController();
          token.onCancellationRequested(() => stop.abort());
          const compilation = await server.request<Compilation | null>(compilationRequest, {
            uri: addressOf(document.uri),
          });
          return compilation ? compile(file, root, compilation, stop.signal) : undefined;
        },
      );
      if (!said) {
        void window.showInformationMessage('Warplens does not read this file. Check the language of the editor.');
        return;
      }
      witnessed.set(document, { file, text, code: said.code });
      for (const remark of said.remarks) server.log.info(remark);
      void window.setStatusBarMessage(`Warplens: verdicts of ${said.compiler} are shown at the findings.`, 6000);
    } catch (error) {
      if (!(error instanceof ProfileProblem)) throw error;
      if (error.kind === 'cancelled') return;
      if (error.detail) server.log.error(error.detail);
      void window.showErrorMessage(problemText(error));
    }
  }

  extension.subscriptions.push(commands.registerCommand(askCompilerCommand, ask));
}

async function compile(
  file: string,
  root: string,
  compilation: Compilation,
  signal: AbortSignal,
): Promise<CompiledSource> {
  const settings = settingsOf(root);
  const host = await openHost(hostChoiceOf(settings), signal);
  try {
    const { facts } = await preflight(host, { signal, nvcc: settings.nvcc, needsNvcc: false, locksClocks: false });
    return await askCompiler(host, facts, file, compilation, signal);
  } finally {
    await host.close();
  }
}
