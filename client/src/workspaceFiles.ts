// Files of the open folders by a glob: one finder, so that what is learned of the editor's search is shared.
import {
  CancellationTokenSource,
  FileType,
  RelativePattern,
  window,
  workspace,
  type Uri,
  type WorkspaceFolder,
} from 'vscode';
import { createFileFinder } from './findFiles';
import { pathOf, uriOf } from './paths';

const find = createFileFinder(async (path) =>
  (await workspace.fs.readDirectory(uriOf(path))).map(([name, type]) => [name, type === FileType.Directory] as const),
);

/** At most `most` files that a glob fits below the folder, or below every open folder. Never fails. */
export async function findWorkspaceFiles(
  pattern: string,
  { skippedFolders = [], most, folder }: { skippedFolders?: readonly string[]; most: number; folder?: WorkspaceFolder },
): Promise<readonly Uri[]> {
  const folders = folder ? [folder] : (workspace.workspaceFolders ?? []);
  const tops = folders.map(({ uri }) => pathOf(uri));
  // A folder that is on no disk may have no search at all, and then its question is never answered.
  const wait = folders.every(({ uri }) => uri.scheme === 'file') ? {} : { wait: 500 };
  const paths = await find({ folders: tops, pattern, skippedFolders, most, ...wait }, async (wanted, signal) => {
    const cancel = new CancellationTokenSource();
    signal.addEventListener('abort', () => cancel.cancel());
    const skipped = skippedFolders.length > 0 ? `**/{${skippedFolders.join(',')}}/**` : null;
    const found = await workspace.findFiles(
      folder ? new RelativePattern(folder, wanted) : wanted,
      skipped,
      most,
      cancel.token,
    );
    return found.map(pathOf);
  });
  return paths.map(uriOf);
}

/** The open folder, or the one that the user picks. */
export async function chooseWorkspaceFolder(placeHolder: string): Promise<WorkspaceFolder | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) void window.showInformationMessage('Warplens: open a folder first.');
  return folders.length > 1 ? window.showWorkspaceFolderPick({ placeHolder }) : folders[0];
}
