// The command that applies every safe fix of the file on screen, as saving does when so configured.
import { commands, Range, window, workspace, type CodeAction } from 'vscode';
import type { FeatureContext } from '../featureContext';
import { isReadable } from '../languages';

export function activateFixAll({ extension }: FeatureContext): void {
  extension.subscriptions.push(
    commands.registerCommand('warplens.fixAll', async () => {
      const document = window.activeTextEditor?.document;
      if (!document || !isReadable(document)) {
        void window.showInformationMessage('Warplens: open a CUDA, C or C++ file first.');
        return;
      }
      // The editor's own command stops silently when the cursor or the list of problems moves while it asks.
      const everything = new Range(0, 0, document.lineCount, 0);
      const [fix] = await commands.executeCommand<CodeAction[]>(
        'vscode.executeCodeActionProvider',
        ...[document.uri, everything, 'source.fixAll.warplens', 1],
      );
      if (!fix?.edit || !(await workspace.applyEdit(fix.edit)))
        void window.showInformationMessage(
          'Warplens: this file has no safe fixes left. Fixes that may change results are in the menu of each line.',
        );
    }),
  );
}
