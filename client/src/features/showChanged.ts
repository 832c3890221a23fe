// "Show Only What I Changed": findings that the last commit has, too, become hints. Git's extension has the commit.
import { commands, extensions, workspace, type Disposable, type Event, type Uri } from 'vscode';
import { committedRequest, type CommittedAnswer, type CommittedParameters } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { documentAt } from '../paths';

/** Of the interface of `vscode.git`, version 1, what is used here. */
interface Repository {
  readonly state: { readonly HEAD?: { readonly commit?: string } | undefined; readonly onDidChange: Event<void> };
  show(revision: string, path: string): Promise<string>;
}
interface Git {
  readonly repositories: readonly Repository[];
  readonly onDidOpenRepository: Event<Repository>;
  getRepository(uri: Uri): Repository | null;
}

export function activateShowChanged({ extension, server }: FeatureContext): void {
  let git: Promise<Git | undefined> | undefined;
  const isOn = (uri?: Uri): boolean => workspace.getConfiguration('warplens', uri).get('show') === 'changed';
  const commits = new WeakMap<Repository, string | undefined>();
  const watch = (repository: Repository): Disposable => {
    commits.set(repository, repository.state.HEAD?.commit);
    return repository.state.onDidChange(() => {
      const commit = repository.state.HEAD?.commit;
      if (commits.get(repository) === commit) return;
      commits.set(repository, commit);
      if (isOn()) server.refresh('diagnostics');
    });
  };
  const open = async (): Promise<Git | undefined> => {
    const found = extensions.getExtension<{ readonly enabled: boolean; getAPI(version: 1): Git }>('vscode.git');
    const exported = await found?.activate();
    if (!exported?.enabled) return undefined;
    const opened = exported.getAPI(1);
    extension.subscriptions.push(
      ...opened.repositories.map(watch),
      opened.onDidOpenRepository((repository) => {
        extension.subscriptions.push(watch(repository));
        if (isOn()) server.refresh('diagnostics');
      }),
    );
    return opened;
  };

  server.answer(committedRequest, async ({ uri, known }: CommittedParameters): Promise<CommittedAnswer | null> => {
    const document = documentAt(uri);
    const opened = await (git ??= open());
    // Git's extension may be enabled later.
    if (!opened) git = undefined;
    const repository = opened?.getRepository(document);
    const commit = repository?.state.HEAD?.commit;
    if (!repository || commit === undefined) return null;
    if (known === commit) return { commit };
    // A file that is not in the commit is new in all its lines.
    return repository.show(commit, document.fsPath).then(
      (text) => ({ commit, text }),
      () => null,
    );
  });
  extension.subscriptions.push(
    commands.registerCommand('warplens.toggleShowChanged', () =>
      workspace
        .getConfiguration('warplens')
        .update('show', isOn() ? 'all' : 'changed', workspace.workspaceFolders === undefined),
    ),
  );
}
