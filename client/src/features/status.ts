// An entry of the language status that says whether the server runs, and what to do when it does not.
import { languages, LanguageStatusSeverity } from 'vscode';
import type { FeatureContext } from '../featureContext';
import { documentSelector } from '../languages';
import type { ServerState } from '../server';

const { Information, Warning, Error: Failure } = LanguageStatusSeverity;
const details: Record<ServerState, readonly [string, LanguageStatusSeverity]> = {
  waiting: ['no CUDA or OpenACC here yet', Information],
  starting: ['server is starting', Information],
  running: ['server is running', Information],
  stopped: ['server is stopped', Warning],
  failed: ['server failed; see its log', Failure],
};

export function activateStatus({ extension, server }: FeatureContext): void {
  const item = languages.createLanguageStatusItem('warplens.server', documentSelector());
  item.name = item.text = 'Warplens';
  const show = (): void => {
    [item.detail, item.severity] = details[server.state];
    item.busy = server.state === 'starting';
    item.command =
      server.state === 'running' || server.state === 'starting'
        ? { command: 'warplens.showOutput', title: 'Show Log' }
        : { command: 'warplens.restartServer', title: 'Restart Server' };
  };
  show();
  extension.subscriptions.push(item, server.onDidChangeState(show));
}
