// Files of the open folders by a glob: one finder for all features, so that what one learns of the editor's search serves the others.
import { CancellationTokenSource, RelativePattern, Uri, workspace, type WorkspaceFolder } from 'vscode';
import { createFileFinder } from './findFiles';

const find = createFileFinder();

/** At most `most` files that a glob below the folder, or below every open folder, fits. Folders of these names are left out. Never fails. */
export async function findWorkspaceFiles(
  pattern: string,
  { skippedFolders = [], most, folder }: { skippedFolders?: readonly string[]; most: number; folder?: WorkspaceFolder },
): Promise<readonly Uri[]> {
  const folders = folder ? [folder] : (workspace.workspaceFolders ?? []);
  const onDisk = folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  const paths = await find({ folders: onDisk, pattern, skippedFolders, most }, async (wanted, signal) => {
    const cancel = new CancellationTokenSource();
    signal.addEventListener('abort', () => cancel.cancel());
    const skipped = skippedFolders.length > 0 ? `**/{${skippedFolders.join(',')}}/**` : null;
    const found = await workspace.findFiles(
      folder ? new RelativePattern(folder, wanted) : wanted,
      skipped,
      most,
      cancel.token,
    );
    return found.map(({ fsPath }) => fsPath);
  });
  return paths.map((path) => Uri.file(path));
}
