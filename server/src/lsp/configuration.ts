// Fetches the settings for each folder, tells the user once what is wrong with them, and says when they changed.
import { DidChangeConfigurationNotification } from 'vscode-languageserver';
import { settingsWrongRequest, type SettingsWrongParameters } from '../../../protocol/src/requests';
import { isAskedFor } from '../workspace/askedFiles';
import { type Complaint, complaintMessage, missingFolders, readEditorSettings } from './editorSettings';
import { chosenIn, type Folder, type Folders } from './folders';
import { quietly, warn, type Session } from './session';
import { within } from './waiting';

export type Configuration = ReturnType<typeof serveConfiguration>;

/** Milliseconds after which a client that does not answer is served with the defaults. */
const patience = 3000;
/** Milliseconds without another change after which a setting is written, not half typed and saved by the editor. */
const written = 2000;

/** Warns once of what is wrong with the project file of a document that was read. */
export function projectFileWarnings(session: Pick<Session, 'connection'>, folders: Folders): (uri: string) => void {
  const said = new Map<string, string>();
  return (uri) => {
    const project = folders.of(uri).workspace.configurationOf(uri);
    if (!project) return;
    const { path, complaints } = project;
    const shown = complaints.slice(0, 3).join(' ');
    const more = complaints.length > 3 ? ` (and ${complaints.length - 3} more)` : '';
    const message = complaints.length === 0 ? '' : `${shown}${more} The rest of the file is used.`;
    if ((said.get(path) ?? '') === message) return;
    said.set(path, message);
    if (message !== '') warn(session, message);
  };
}

export function serveConfiguration(
  session: Pick<Session, 'connection' | 'client' | 'folders' | 'files'>,
  initial: unknown,
  onChange: (folders: readonly Folder[]) => void,
) {
  const { connection, client, folders, files } = session;
  const held = new Map<Folder, string>();
  /** Settings of clients that push them. */
  let pushed: unknown = initial;
  const said = new Set<string>();

  async function ask(): Promise<readonly unknown[]> {
    if (!client.configuration) return folders.all().map(() => pushed);
    const answer = connection.workspace.getConfiguration(
      folders
        .all()
        .map((folder) => ({ section: 'warplens', ...(folder.uri === undefined ? {} : { scopeUri: folder.uri }) })),
    );
    const sections = await within<unknown>(patience, answer, undefined);
    return Array.isArray(sections) ? sections : folders.all().map(() => pushed);
  }

  let complaining: ReturnType<typeof setTimeout> | undefined;

  /** What an editor has to list first counts as there. */
  const exists = (path: string): boolean => isAskedFor(path) || files.list(path) !== undefined;

  function complain(complaints: readonly Complaint[]): void {
    const message = complaintMessage(complaints);
    if (message === undefined) said.clear();
    if (message === undefined || said.has(message)) return;
    said.add(message);
    const settings = [...new Set(complaints.map(({ setting }) => setting))];
    if (client.ownCommands)
      quietly(() =>
        connection.sendRequest(settingsWrongRequest, { message, settings } satisfies SettingsWrongParameters),
      );
    else warn(session, message);
  }

  /** Asks for the settings of all folders. Resolves to the folders whose settings changed. */
  async function fetch(delay = 0): Promise<readonly Folder[]> {
    const asked = folders.all();
    const sections = await ask();
    const changed: Folder[] = [];
    const complaints: Complaint[] = [];
    asked.forEach((folder, index) => {
      const read = readEditorSettings(sections[index]);
      complaints.push(...read.complaints, ...missingFolders(read.settings, folder.path, exists));
      const text = JSON.stringify(read.settings);
      if (held.get(folder) === text) return;
      held.set(folder, text);
      folder.settings = read.settings;
      folder.workspace.configure(chosenIn(read.settings));
      changed.push(folder);
    });
    clearTimeout(complaining);
    if (delay === 0) complain(complaints);
    else complaining = setTimeout(() => complain(complaints), delay);
    return changed;
  }

  connection.onDidChangeConfiguration(({ settings }: { settings: unknown }) => {
    const section =
      typeof settings === 'object' && settings !== null ? (settings as Record<string, unknown>)['warplens'] : undefined;
    if (section !== undefined) pushed = section;
    fetch(written)
      .then((changed) => {
        if (changed.length > 0) onChange(changed);
      })
      .catch((error: unknown) => connection.console.error(`The settings could not be read: ${String(error)}`));
  });
  if (client.watchConfiguration)
    quietly(() => connection.client.register(DidChangeConfigurationNotification.type, { section: 'warplens' }));
  return { fetch };
}
