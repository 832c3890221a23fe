// The commands that restart the language server and show its log.
import { commands, window } from 'vscode';
import type { FeatureContext } from '../featureContext';

export function activateRestartServer({ extension, server }: FeatureContext): void {
  extension.subscriptions.push(
    commands.registerCommand('warplens.showOutput', () => server.log.show()),
    commands.registerCommand('warplens.restartServer', async () => {
      await server.restart();
      if (server.state !== 'running') {
        const choice = await window.showErrorMessage('Warplens: the server did not start. See its log.', 'Show Log');
        if (choice) server.log.show();
      }
    }),
  );
}
