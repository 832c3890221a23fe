// Paths of files: one that is on no disk is written `/scheme:authority/path`, as the server sees it.
import { Uri, workspace } from 'vscode';

/** `/scheme:authority/path`; a drive has one letter. */
const onNoDisk = /^\/([a-z][a-z0-9+.-]+):([^/]*)(\/.*)?$/;

/** The path of a file. */
export function pathOf(uri: Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : `/${uri.scheme}:${uri.authority}${uri.path}`;
}

export function uriOf(path: string): Uri {
  const [, scheme, authority, below] = onNoDisk.exec(path) ?? [];
  return scheme === undefined ? Uri.file(path) : Uri.from({ scheme, authority: authority!, path: below ?? '/' });
}

/** Whether a document is a file of the user's: on a disk, or in a folder that was opened from elsewhere. */
export function isUsersFile(uri: Uri): boolean {
  return fileSchemes().includes(uri.scheme);
}

/** `file`, and the schemes of the folders that are open. */
export function fileSchemes(): readonly string[] {
  return [...new Set(['file', ...(workspace.workspaceFolders ?? []).map((folder) => folder.uri.scheme)])];
}

/** What the server calls a document: it knows addresses of files, and of texts that were never saved. */
export function addressOf(uri: Uri): string {
  return uri.scheme !== 'file' && isUsersFile(uri) ? Uri.file(pathOf(uri)).toString() : uri.toString();
}

export function documentAt(address: string): Uri {
  const uri = Uri.parse(address);
  return uri.scheme === 'file' ? uriOf(onNoDisk.test(uri.path) ? uri.path : uri.fsPath) : uri;
}
