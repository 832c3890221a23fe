// The command that applies every safe fix of the file on screen, as saving does when the editor is told to.
import { commands, window } from 'vscode';
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
      const before = document.version;
      await commands.executeCommand('editor.action.codeAction', { kind: 'source.fixAll.warplens', apply: 'first' });
      if (document.version === before)
        void window.showInformationMessage(
          'Warplens: no safe fix is left in this file. Fixes that may change results are in the menu of each line.',
        );
    }),
  );
}
