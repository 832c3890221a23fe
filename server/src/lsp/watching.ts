// Files that change outside the editor, and the search for launches when a folder is opened.
import { basename, extname } from 'node:path';
import {
  DidChangeWatchedFilesNotification,
  FileChangeType,
  type DidChangeWatchedFilesParams,
} from 'vscode-languageserver';
import { isAskedFor, mostGathered } from '../workspace/askedFiles';
import { configurationName } from '../workspace/configurationFile';
import { wholeFolder, type Folder } from './folders';
import type { OwnWatching } from './ownWatching';
import { quietly, type Session } from './session';
import { traceOf } from './waiting';

const extensions = 'cu,cuh,h,hh,hpp,hxx,c,cc,cpp,cxx,inl,f,for,ftn,f90,f95,f03,f08,F,FOR,F90,F95,F03,F08';
const names = 'warplens.json,compile_commands.json,Makefile,makefile,GNUmakefile,CMakeLists.txt';
const watched = [`**/*.{${extensions}}`, `**/{${names}}`];
/** Files that say with which flags others are compiled. */
const buildFiles = /^(compile_commands\.json|GNUmakefile|[Mm]akefile|CMakeLists\.txt)$/;

/** Whether a file of this name may change a reading. */
export function isWatched(name: string): boolean {
  return names.split(',').includes(name) || extensions.split(',').includes(extname(name).slice(1));
}

/**
 * `onChange` gets the documents whose reading may differ now. What is returned asks the client to watch; to be called
 * once the client is ready to be asked.
 */
export function serveWatching(
  session: Session,
  onChange: (uris: readonly string[]) => void,
  own: OwnWatching | undefined,
): () => void {
  const { connection, client, folders, files, addresses, readings, documents, asked } = session;
  const take = ({ changes }: DidChangeWatchedFilesParams): void => {
    try {
      const affected = new Set<string>();
      for (const { uri, type } of changes) {
        const path = addresses.toPath(uri);
        asked?.forget(path);
        files.touched(path);
        const isProjectFile = basename(path) === configurationName;
        if (isProjectFile || buildFiles.test(basename(path))) {
          for (const { workspace } of folders.all()) isProjectFile ? workspace.configure() : workspace.filesChanged();
          for (const document of documents.all()) affected.add(document.uri);
          continue;
        }
        // An open document is what its editor says, not what the disk says.
        if (documents.get(uri)) continue;
        const differs = folders.of(uri).index.changed(path);
        // A file that came or went, or has other includes now, may be the one through which another is seen.
        if (differs || type !== FileChangeType.Changed) folders.of(uri).workspace.filesChanged();
        for (const each of readings.including(addresses.toUri(path))) affected.add(each);
        for (const each of readings.missing(basename(path))) affected.add(each);
      }
      onChange([...affected]);
    } catch (error) {
      connection.console.error(`A file change could not be processed: ${traceOf(error)}`);
    }
  };
  connection.onDidChangeWatchedFiles(take);
  own?.changed((changes) => take({ changes: changes.map(({ path, type }) => ({ uri: addresses.toUri(path), type })) }));
  return () => {
    if (!client.watchFiles) return;
    quietly(() =>
      connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: watched.map((globPattern) => ({ globPattern })),
      }),
    );
  };
}

/** Milliseconds of searching that need no progress bar. */
const unnoticed = 500;

/** Searches a folder for launches in the background; the user can see it and stop it. */
export async function searchLaunches(
  { connection, client, asked }: Pick<Session, 'connection' | 'client' | 'asked'>,
  folder: Folder,
): Promise<void> {
  if (folder.path === undefined || !folder.settings.indexWorkspace) return;
  let stopped = false;
  let shown: Awaited<ReturnType<typeof connection.window.createWorkDoneProgress>> | undefined;
  let asking = false;
  let finished = false;
  const started = Date.now();
  try {
    if (
      asked &&
      isAskedFor(folder.path) &&
      !(await asked.gather(folder.path, wholeFolder, { cancelled: () => stopped }))
    )
      told(() =>
        connection.console.info(
          `${folder.path} is not on a disk: only ${mostGathered} of its files are searched for launches.`,
        ),
      );
    await folder.index.search(folder.path, wholeFolder, { cancelled: () => stopped }, (fraction, files) => {
      const message = `${files} files`;
      if (shown) {
        told(() => shown!.report(Math.floor(fraction * 100), message));
        return;
      }
      if (asking || !client.progress || Date.now() - started < unnoticed) return;
      asking = true;
      connection.window.createWorkDoneProgress().then(
        (progress) => {
          shown = progress;
          progress.begin('Warplens: searching for kernel launches', 0, message, true);
          progress.token.onCancellationRequested(() => {
            stopped = true;
          });
          if (finished) progress.done();
        },
        () => {
          /* the client shows none */
        },
      );
    });
  } catch (error) {
    told(() => connection.console.error(`The search for launches in ${folder.path} failed: ${traceOf(error)}`));
  }
  finished = true;
  told(() => {
    shown?.done();
    connection.console.info(
      `${folder.path}: ${folder.index.size()} files launch kernels from other ` +
        `files${stopped ? ' (the search was stopped)' : ''}; searched in ${Date.now() - started} ms`,
    );
  });
}

/** The editor may have gone while the search went on. */
function told(say: () => void): void {
  try {
    say();
  } catch {
    /* no client */
  }
}
