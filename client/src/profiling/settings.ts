// The settings `warplens.profile.*`, as the configuration that a run begins with.
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { Uri, window, workspace } from 'vscode';
import { readConfiguration, storeFolder, type Place, type RunConfiguration } from './runConfiguration';

const shared = [
  'host',
  'launcher',
  'nvcc',
  'ncu',
  'scratch',
  'flags',
  'sections',
  'replay',
  'clocks',
  'launches',
  'mostKernels',
  'timeLimit',
] as const;

/** What the settings say of every run in a folder. Throws a ProfileProblem that names a value that does not fit. */
export function settingsOf(root: string): RunConfiguration {
  const section = workspace.getConfiguration('warplens.profile', Uri.file(root));
  const given = Object.fromEntries(
    shared
      .map((key) => [key, section.get<unknown>(key)])
      .filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
  return readConfiguration(given, 'the settings warplens.profile');
}

/** The named configurations of a folder, which can be committed. Throws as above. */
export function configurationsOf(root: string): RunConfiguration[] {
  const list = workspace.getConfiguration('warplens.profile', Uri.file(root)).get<unknown>('configurations');
  return Array.isArray(list)
    ? list.map((value, at) => readConfiguration(value, `entry ${at + 1} of warplens.profile.configurations`))
    : [];
}

export function storeOf(root: string): string {
  return storeFolder(root, workspace.getConfiguration('warplens.profile', Uri.file(root)).get<string>('store') ?? '');
}

/** The workspace folder of a file, or its own folder; the first workspace folder where there is no file. */
export function rootOf(document: Uri | undefined): string | undefined {
  const file = document?.scheme === 'file' ? document : undefined;
  const folder = file ? workspace.getWorkspaceFolder(file) : workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath ?? (file && dirname(file.fsPath));
}

export function placeOf(root: string, file = window.activeTextEditor?.document.uri): Place {
  return { root, ...(file?.scheme === 'file' && { file: file.fsPath }), home: homedir(), environment: process.env };
}

/** Every folder that may hold a history. */
export function storeFolders(): { readonly root: string; readonly name: string; readonly store: string }[] {
  const roots = workspace.workspaceFolders?.map(({ uri, name }) => ({ root: uri.fsPath, name })) ?? [];
  const file = window.activeTextEditor?.document.uri;
  const alone =
    roots.length === 0 && file?.scheme === 'file'
      ? [{ root: dirname(file.fsPath), name: basename(dirname(file.fsPath)) }]
      : [];
  return [...roots, ...alone]
    .filter(({ root }) => root !== '')
    .map((folder) => ({ ...folder, store: storeOf(folder.root) }));
}
