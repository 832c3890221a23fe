// The fix of a header that was not found: adds a folder that has it to the setting of the workspace.
import { commands, ConfigurationTarget, type Uri, window, workspace } from 'vscode';
import { clientCommands } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { documentAt, pathOf } from '../paths';
import { findWorkspaceFiles } from '../workspaceFiles';

export function activateIncludeFolder({ extension }: FeatureContext): void {
  extension.subscriptions.push(commands.registerCommand(clientCommands.addIncludeFolder, add));
}

const mostFound = 20;

async function add(of?: unknown, headers?: unknown): Promise<void> {
  const document = typeof of === 'string' ? documentAt(of) : window.activeTextEditor?.document.uri;
  const wanted = Array.isArray(headers) ? headers.filter((each): each is string => typeof each === 'string') : [];
  const folder = await folderWith(wanted);
  if (!folder) return;
  const settings = workspace.getConfiguration('warplens', document);
  const top = (document && workspace.getWorkspaceFolder(document)) ?? workspace.workspaceFolders?.[0];
  const path = pathOf(folder);
  const root = top && pathOf(top.uri);
  const written = root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const known = settings.get<readonly string[]>('includeFolders') ?? [];
  if (known.includes(written)) return;
  await settings.update(
    'includeFolders',
    [...known, written],
    top ? ConfigurationTarget.Workspace : ConfigurationTarget.Global,
  );
}

/** The one folder of the workspace that has one of the headers, or one that the user chooses. */
async function folderWith(headers: readonly string[]): Promise<Uri | undefined> {
  const folders = new Map<string, Uri>();
  for (const header of headers) {
    const plain = header.replaceAll('\\', '/').replace(/^(?:\.\.?\/)+/, '');
    const pattern = `**/${plain.replace(/[[\]{}*?]/g, '[$&]')}`;
    for (const file of await findWorkspaceFiles(pattern, {
      skippedFolders: ['node_modules', '.git'],
      most: mostFound,
    })) {
      const folder = file.with({ path: file.path.slice(0, -plain.length - 1) || '/' });
      folders.set(folder.toString(), folder);
    }
  }
  if (folders.size === 1) return [...folders.values()][0];
  const browse = 'Choose Another Folder…';
  const items = [...folders.values()].map((uri) => ({ label: workspace.asRelativePath(uri), uri }));
  const choice =
    items.length === 0
      ? undefined
      : await window.showQuickPick([...items, { label: browse, uri: undefined }], {
          title: `Include folder${headers[0] === undefined ? '' : ` of ${headers[0]}`}`,
        });
  if (items.length > 0 && !choice) return undefined;
  if (choice?.uri) return choice.uri;
  const chosen = await window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    title: 'Include Folder',
    openLabel: 'Add Folder',
  });
  return chosen?.[0];
}
