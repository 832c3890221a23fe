// An entry of the language status that says whether the server runs, and what to do when it does not.
import { languages, LanguageStatusSeverity } from 'vscode';
import type { FeatureContext } from '../featureContext';
import { documentSelector } from '../languages';
import type { ServerState } from '../server';

const said: Record<
  ServerState,
  { readonly text: string; readonly detail: string; readonly severity: LanguageStatusSeverity }
> = {
  waiting: {
    text: 'Warplens',
    detail: 'no CUDA or OpenACC here yet',
    severity: LanguageStatusSeverity.Information,
  },
  starting: { text: 'Warplens', detail: 'server is starting', severity: LanguageStatusSeverity.Information },
  running: { text: 'Warplens', detail: 'server is running', severity: LanguageStatusSeverity.Information },
  stopped: { text: 'Warplens', detail: 'server is stopped', severity: LanguageStatusSeverity.Warning },
  failed: { text: 'Warplens', detail: 'server failed; see its log', severity: LanguageStatusSeverity.Error },
};

export function activateStatus({ extension, server }: FeatureContext): void {
  const item = languages.createLanguageStatusItem('warplens.server', documentSelector());
  item.name = 'Warplens';
  const show = (): void => {
    const { text, detail, severity } = said[server.state];
    item.text = text;
    item.detail = detail;
    item.severity = severity;
    item.busy = server.state === 'starting';
    item.command =
      server.state === 'running' || server.state === 'starting'
        ? { command: 'warplens.showOutput', title: 'Show Log' }
        : { command: 'warplens.restartServer', title: 'Restart Server' };
  };
  show();
  extension.subscriptions.push(item, server.onDidChangeState(show));
}
