// The language server: wires the requests to what is known of the documents.
import {
  CodeActionKind,
  CodeLensRefreshRequest,
  ErrorCodes,
  ResponseError,
  TextDocumentSyncKind,
  type InitializeResult,
  type ServerCapabilities,
} from 'vscode-languageserver';
import { TextDocuments, type Connection } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { filesRequest, serverCommands, type InitializationOptions } from '../../../protocol/src/requests';
import { createSyntax, type GrammarFiles, type Syntax } from '../syntax';
import { createAskedFiles, isAskedFor, overDisk } from '../workspace/askedFiles';
import type { FileSystem } from '../workspace/fileSystem';
import { isFortran } from '../workspace/fortran';
import { createAddresses } from './addresses';
import { readClientFeatures, type ClientFeatures } from './clientFeatures';
import { fixAllKind, serveCodeActions } from './codeActions';
import { serveCodeLens } from './codeLens';
import { serveCommands } from './commands';
import { serveCommitted } from './committed';
import { completionTriggers, serveCompletion } from './completion';
import { createKernelResources } from './occupancy';
import { serveCompilerFeedback } from './compilerFeedback';
import { projectFileWarnings, serveConfiguration } from './configuration';
import { serveDiagnostics } from './diagnostics';
import { serveFindings } from './findings';
import { createFolders, type Folder } from './folders';
import { serveHostCalls } from './hostCalls';
import { serveHover } from './hover';
import { serveInlayHints } from './inlayHints';
import { serveKernels } from './kernels';
import { createOpenFiles } from './openFiles';
import { serveParameters } from './parameters';
import { createReadings } from './readings';
import { serveScreens } from './screens';
import { quietly, type Session } from './session';
import { watchFiles } from './ownWatching';
import { isWatched, searchLaunches, serveWatching } from './watching';

/** What the machine gives. */
export interface Environment {
  readonly fileSystem: FileSystem;
  /** Bytes of the parser's wasm files; throws one clear sentence when they are missing. */
  readonly readGrammars: () => GrammarFiles;
  /** Hears the document whose reading begins, and undefined when it has ended. */
  readonly atWorkOn?: (uri: string | undefined) => void;
  /** Hears each file whose text is taken, open ones among them. */
  readonly reads?: (path: string) => void;
}

/** Serves until the connection closes. */
export function serve(connection: Connection, environment: Environment): void {
  const documents = new TextDocuments(TextDocument);
  connection.onInitialize(async (params): Promise<InitializeResult> => {
    let syntax: Syntax;
    try {
      syntax = await createSyntax(environment.readGrammars());
    } catch (error) {
      throw new ResponseError(ErrorCodes.InternalError, error instanceof Error ? error.message : String(error));
    }
    const client = readClientFeatures(params);
    const roots = params.workspaceFolders?.map((folder) => folder.uri) ?? (params.rootUri ? [params.rootUri] : []);
    const options = (params.initializationOptions ?? {}) as InitializationOptions;
    startServing(connection, documents, environment, syntax, client, roots, options);
    return { capabilities: capabilitiesFor(client), serverInfo: { name: 'Warplens' } };
  });
  documents.listen(connection);
  connection.listen();
}

function capabilitiesFor(client: ClientFeatures): ServerCapabilities {
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
    ...(client.pullDiagnostics
      ? { diagnosticProvider: { identifier: 'warplens', interFileDependencies: true, workspaceDiagnostics: false } }
      : {}),
    codeActionProvider: {
      codeActionKinds: [CodeActionKind.QuickFix, fixAllKind],
      resolveProvider: client.resolveEdits,
    },
    hoverProvider: true,
    inlayHintProvider: { resolveProvider: false },
    codeLensProvider: { resolveProvider: false },
    completionProvider: { triggerCharacters: completionTriggers, resolveProvider: false },
    executeCommandProvider: { commands: Object.values(serverCommands) },
    workspace: { workspaceFolders: { supported: true, changeNotifications: client.workspaceFolders } },
  };
}

function startServing(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  environment: Environment,
  syntax: Syntax,
  client: ClientFeatures,
  roots: readonly string[],
  options: InitializationOptions,
): void {
  const addresses = createAddresses();
  const asked = options.answersFiles
    ? createAskedFiles({
        ask: (questions) => connection.sendRequest(filesRequest, questions),
        arrived(missed) {
          files.forgetAbsent();
          if (!missed) return;
          for (const folder of folders.all()) folder.workspace.filesChanged();
          anew(documents.all().map(({ uri }) => uri));
        },
        full: () =>
          connection.console.info(
            'This workspace is not on a disk and the fetch limit is reached: other files are not read.',
          ),
      })
    : undefined;
  const ownWatching = client.watchFiles ? undefined : watchFiles(environment.fileSystem, isWatched);
  const disk = ownWatching?.files ?? environment.fileSystem;
  const fileSystem = asked ? overDisk(asked, disk) : disk;
  const files = createOpenFiles(fileSystem, Date.now, environment.reads);
  let settingsCame = (): void => {};
  const ready = new Promise<void>((resolve) => {
    settingsCame = resolve;
  });
  const anew = (uris: readonly string[]): void => {
    if (uris.length === 0) return;
    readings.invalidate(uris);
    session.committed.outdated(uris);
    diagnostics.refresh(uris);
    refreshViews(connection, client);
  };
  const folders = createFolders({
    syntax,
    files,
    addresses,
    onLaunchesChanged: anew,
    onSearched: (folder) => {
      const seenFrom = (uri: string): string => folder.workspace.includedBy(uri).join();
      const open = documents
        .all()
        .map(({ uri }) => uri)
        .filter((uri) => folders.of(uri) === folder);
      const before = open.map(seenFrom);
      folder.workspace.filesChanged();
      anew(open.filter((uri, at) => seenFrom(uri) !== before[at]));
    },
    idle: () => readings.idle(),
    log: (sentence) => connection.console.info(sentence),
  });
  for (const uri of roots) folders.add(uri);
  const screens = client.tellsScreen ? serveScreens(connection) : undefined;
  const warnOfProjectFile = projectFileWarnings({ connection }, folders);
  const readings = createReadings({
    onRead: ({ uri }) => warnOfProjectFile(uri),
    document: (uri) => documents.get(uri),
    folders,
    files,
    addresses,
    ready,
    ...(asked ? { arrivals: () => (asked.waits() ? asked.settled() : undefined) } : {}),
    atWorkOn: environment.atWorkOn,
    screens,
    log: {
      error: (sentence) => connection.console.error(sentence),
      timing: (uri, sentence) => {
        if (folders.of(uri).settings.timings) connection.console.info(sentence);
      },
    },
  });
  const others = { connection, client, documents, readings, folders, files, addresses, asked };
  const session: Session = {
    ...others,
    committed: serveCommitted(others),
    resources: createKernelResources(),
  };
  const diagnostics = serveDiagnostics(session);
  serveCodeActions(session);
  serveHover(session);
  serveInlayHints(session);
  serveCodeLens(session);
  serveCompletion(session);
  serveCommands(session);
  serveFindings(session);
  serveParameters(session);
  serveKernels(session);
  const watch = serveWatching(session, anew, ownWatching);
  serveHostCalls(session);
  serveCompilerFeedback(session, anew);
  const openIn = (each: readonly Folder[]): string[] =>
    documents
      .all()
      .filter((document) => each.includes(folders.of(document.uri)))
      .map((document) => document.uri);

  connection.onInitialized(() => {
    watch();
    const served = serveConfiguration(session, options.settings, (changed) => anew(openIn(changed)));
    served
      .fetch()
      .catch((error: unknown) => connection.console.error(`The settings could not be read: ${String(error)}`))
      .finally(() => {
        settingsCame();
        for (const folder of folders.all()) void searchLaunches(session, folder);
      });
    if (client.workspaceFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        for (const { uri } of removed) folders.remove(uri);
        const fresh = added.map(({ uri }) => folders.add(uri));
        served
          .fetch()
          .catch(() => {
            /* the defaults hold */
          })
          .finally(() => {
            anew(documents.all().map((document) => document.uri));
            for (const folder of fresh) void searchLaunches(session, folder);
          });
      });
    }
  });

  /** The `#include` lines of open documents, as of when the others last heard of them. */
  const included = new Map<string, string>();
  documents.onDidOpen(({ document }) => {
    const { uri } = document;
    addresses.opened(uri);
    included.set(uri, includeLines(document.getText(), isFortran(uri, document.languageId)));
    const folder = folders.of(uri);
    // A file outside of every workspace folder has its own folder for neighbours.
    if (folder.path === undefined && uri.startsWith('file:')) void searchBeside(session, uri);
  });
  const rescans = new Map<string, NodeJS.Timeout>();
  documents.onDidChangeContent(({ document }) => {
    const { uri } = document;
    const path = addresses.toPath(uri, folders.of(uri).path);
    files.cover(path, document.getText());
    if (document.version > 1) readings.touched(uri);
    diagnostics.changed(uri);
    clearTimeout(rescans.get(uri));
    // Files that depend on this one, by including it or by defining what it launches, are updated when typing stops.
    rescans.set(
      uri,
      setTimeout(() => {
        rescans.delete(uri);
        const folder = folders.of(uri);
        const differs = folder.index.changed(path);
        // With other includes or calls the document may be the one through which another file is seen.
        const lines = includeLines(document.getText(), isFortran(uri, document.languageId));
        const includesChanged = differs || (included.get(uri) ?? lines) !== lines;
        included.set(uri, lines);
        if (includesChanged) folder.workspace.filesChanged();
        anew(includesChanged ? openIn([folder]).filter((each) => each !== uri) : readings.including(uri));
      }, rescanAfter),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(rescans.get(uri));
    rescans.delete(uri);
    included.delete(uri);
    const path = addresses.toPath(uri, folders.of(uri).path);
    files.uncover(path);
    addresses.closed(uri);
    screens?.forget(uri);
    readings.forget(uri);
    session.committed.outdated([uri]);
    diagnostics.closed(uri);
    const folder = folders.of(uri);
    folder.index.changed(path);
    // What was typed and not saved is gone, includes among it.
    folder.workspace.filesChanged();
    anew(readings.including(uri));
  });
  connection.onShutdown(() => {
    for (const timer of rescans.values()) clearTimeout(timer);
    ownWatching?.stop();
  });
}

function includeLines(text: string, fortran: boolean): string {
  if (fortran) return (text.match(/^[ \t]*(?:module|include)\b.*$/gim) ?? []).join('\n');
  return text.includes('#') ? (text.match(/^[ \t]*#[ \t]*include\b.*$/gm) ?? []).join('\n') : '';
}

/** Milliseconds without a keystroke after which other open documents hear of this one's changes. */
const rescanAfter = 500;

async function searchBeside({ folders, addresses, asked }: Session, uri: string): Promise<void> {
  const path = addresses.toPath(uri);
  const folder = folders.of(uri);
  const beside = path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))) || '/';
  const signal = { cancelled: () => false };
  if (asked && isAskedFor(beside)) await asked.gather(beside, 0, signal);
  await folder.index.search(beside, 0, signal, () => {
    /* a folder takes no time */
  });
}

function refreshViews(connection: Connection, client: ClientFeatures): void {
  if (client.inlayHintRefresh) quietly(() => connection.languages.inlayHint.refresh());
  if (client.codeLensRefresh) quietly(() => connection.sendRequest(CodeLensRefreshRequest.type));
}
