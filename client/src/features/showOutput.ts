// The command that brings the log of client and server to the front.
import { commands } from 'vscode';
import type { FeatureContext } from '../featureContext';

export function activateShowOutput({ extension, server }: FeatureContext): void {
  extension.subscriptions.push(commands.registerCommand('warplens.showOutput', () => server.log.show()));
}
