// A whole language server and an editor of few words, talking over streams in memory.
import type { ChildProcessByStdio } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  ConfigurationRequest,
  DidChangeConfigurationNotification,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShowMessageNotification,
  LogMessageNotification,
  StreamMessageReader,
  StreamMessageWriter,
  type ClientCapabilities,
  type Diagnostic,
  type FullDocumentDiagnosticReport,
  type InitializeResult,
  type ProtocolConnection,
  type Range,
  type TextDocumentContentChangeEvent,
  type TextDocumentEdit,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver-protocol/node';
import { createConnection, ProposedFeatures, type Connection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { serve } from '../../server/src/lsp';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import type { FileSystem } from '../../server/src/workspace/fileSystem';

const grammars = readGrammarFiles();

/** Files by absolute path; folders follow from them. */
export interface FilesInMemory extends FileSystem {
  write(path: string, text: string): void;
  remove(path: string): void;
  /** How often a file's text was read. */
  reads(): number;
}

export function filesInMemory(files: Readonly<Record<string, string>>): FilesInMemory {
  let clock = 1_000_000;
  let reads = 0;
  const held = new Map(Object.entries(files).map(([path, text]) => [path, { text, version: ++clock }]));
  return {
    write: (path, text) => {
      held.set(path, { text, version: ++clock });
    },
    remove: (path) => {
      held.delete(path);
    },
    reads: () => reads,
    read: (path) => {
      reads++;
      return held.get(path);
    },
    version: (path) => held.get(path)?.version,
    list(folder) {
      const prefix = folder.endsWith('/') ? folder : `${folder}/`;
      const names = new Map<string, boolean>();
      for (const path of held.keys()) {
        if (!path.startsWith(prefix)) continue;
        const [name, ...below] = path.slice(prefix.length).split('/');
        names.set(name!, below.length > 0);
      }
      return names.size === 0 ? undefined : [...names].map(([name, isFolder]) => ({ name, folder: isFolder }));
    },
  };
}

/** An editor of today; tests take things away from it. */
export const modernEditor: ClientCapabilities = {
  textDocument: {
    diagnostic: { relatedInformation: true, codeDescriptionSupport: true, tagSupport: { valueSet: [1, 2] } },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'source.fixAll'] } },
      dataSupport: true,
      isPreferredSupport: true,
      resolveSupport: { properties: ['edit'] },
    },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    publishDiagnostics: {
      relatedInformation: true,
      codeDescriptionSupport: true,
      versionSupport: true,
      tagSupport: { valueSet: [1, 2] },
    },
  },
  workspace: {
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceFolders: true,
    workspaceEdit: { documentChanges: true },
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    codeLens: { refreshSupport: true },
  },
  window: { workDoneProgress: true, showDocument: { support: true } },
};

const { diagnostic: _diagnostic, ...withoutDiagnostic } = modernEditor.textDocument!;
/** The same without pull diagnostics. */
export const pushedEditor: ClientCapabilities = {
  ...modernEditor,
  textDocument: withoutDiagnostic,
};

export interface Editor {
  readonly connection: ProtocolConnection;
  readonly result: InitializeResult;
  readonly files: FilesInMemory;
  open(uri: string, text: string, languageId?: string): void;
  /** Sends the changes with the next version; the editor's own copy changes too. */
  change(uri: string, ...changes: TextDocumentContentChangeEvent[]): void;
  /** Replaces the text between two offsets. */
  replace(uri: string, start: number, end: number, text: string): void;
  close(uri: string): void;
  document(uri: string): TextDocument;
  /** Pulls. */
  diagnostics(uri: string): Promise<Diagnostic[]>;
  /** The next publication for a document of at least this version. */
  published(uri: string, version?: number): Promise<Diagnostic[]>;
  publications(): readonly {
    readonly uri: string;
    readonly version?: number;
    readonly diagnostics: readonly Diagnostic[];
  }[];
  forgetPublications(): void;
  configure(settings: Record<string, unknown>): void;
  /** Texts of the documents after an edit; throws when a version is not the current one. */
  apply(edit: WorkspaceEdit): ReadonlyMap<string, string>;
  readonly messages: string[];
  readonly logs: string[];
  readonly refreshes: string[];
  readonly registrations: string[];
  /** Resolves when the condition holds; rejects after twenty seconds. */
  until(condition: () => boolean, what: string): Promise<void>;
  stop(): void;
}

export interface EditorOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly root?: string;
  readonly capabilities?: ClientCapabilities;
  readonly settings?: Record<string, unknown>;
  readonly initializationOptions?: unknown;
  readonly fileSystem?: FileSystem;
}

export const root = '/project';
export function uriOf(path: string): string {
  return `file://${path.startsWith('/') ? path : `${root}/${path}`}`;
}

export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  // Readers and writers rather than streams: with those the connection ends the process when they close.
  const server = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(toServer),
    new StreamMessageWriter(toClient),
  ) as Connection;
  const files = filesInMemory(options.files ?? {});
  serve(server, { fileSystem: options.fileSystem ?? files, readGrammars: () => grammars });
  const connection = createProtocolConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
  const documents = new Map<string, TextDocument>();
  let settings: Record<string, unknown> = { debounce: 0, ...options.settings };
  const messages: string[] = [];
  const logs: string[] = [];
  const refreshes: string[] = [];
  const registrations: string[] = [];
  const publications: { uri: string; version?: number; diagnostics: Diagnostic[] }[] = [];
  const listeners = new Set<() => void>();
  const heard = (): void => {
    for (const listener of [...listeners]) listener();
  };
  connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => settings));
  connection.onRequest(RegistrationRequest.type, (params) => {
    registrations.push(...params.registrations.map((each) => each.method));
  });
  for (const method of ['workspace/diagnostic/refresh', 'workspace/inlayHint/refresh', 'workspace/codeLens/refresh'])
    connection.onRequest(method, () => {
      refreshes.push(method);
      heard();
      return null;
    });
  connection.onRequest('window/workDoneProgress/create', () => null);
  connection.onRequest('window/showDocument', ({ uri }: { uri: string }) => {
    messages.push(`show ${uri}`);
    heard();
    return { success: true };
  });
  connection.onNotification(ShowMessageNotification.type, ({ message }) => {
    messages.push(message);
    heard();
  });
  connection.onNotification(LogMessageNotification.type, ({ message }) => {
    logs.push(message);
    heard();
  });
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    publications.push(params);
    heard();
  });
  connection.listen();
  const result = await connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: options.capabilities ?? modernEditor,
    workspaceFolders: [{ uri: uriOf(options.root ?? root), name: 'project' }],
    initializationOptions: options.initializationOptions,
  });
  await connection.sendNotification(InitializedNotification.type, {});

  const until = (condition: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        listeners.delete(check);
        clearInterval(poll);
        reject(new Error(`waited in vain: ${what}; log: ${logs.join(' | ')}`));
      }, 20_000);
      const check = (): void => {
        if (!condition()) return;
        clearTimeout(timer);
        clearInterval(poll);
        listeners.delete(check);
        resolve();
      };
      const poll = setInterval(check, 20);
      listeners.add(check);
      check();
    });

  const editor: Editor = {
    connection,
    result,
    files,
    messages,
    logs,
    refreshes,
    registrations,
    until,
    publications: () => publications,
    forgetPublications: () => {
      publications.length = 0;
    },
    open(uri, text, languageId = 'cuda-cpp') {
      documents.set(uri, TextDocument.create(uri, languageId, 1, text));
      void connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri, languageId, version: 1, text },
      });
    },
    change(uri, ...changes) {
      const document = editor.document(uri);
      TextDocument.update(document, changes, document.version + 1);
      void connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version: document.version },
        contentChanges: changes,
      });
    },
    replace(uri, start, end, text) {
      const document = editor.document(uri);
      editor.change(uri, { range: { start: document.positionAt(start), end: document.positionAt(end) }, text });
    },
    close(uri) {
      documents.delete(uri);
      void connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
    },
    document(uri) {
      const document = documents.get(uri);
      if (!document) throw new Error(`${uri} is not open`);
      return document;
    },
    async diagnostics(uri) {
      const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
      if (report.kind !== 'full') throw new Error('a full report was wanted');
      return (report as FullDocumentDiagnosticReport).items;
    },
    async published(uri, version = documents.get(uri)?.version ?? 1) {
      const find = () => publications.findLast((each) => each.uri === uri && (each.version ?? 0) >= version);
      await until(() => find() !== undefined, `diagnostics of ${uri} version ${version}`);
      return [...find()!.diagnostics];
    },
    configure(next) {
      settings = { debounce: 0, ...next };
      void connection.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    },
    apply(edit) {
      const texts = new Map<string, string>();
      for (const change of edit.documentChanges ?? []) {
        const { textDocument, edits } = change as TextDocumentEdit;
        const open = documents.get(textDocument.uri);
        if (open && textDocument.version !== open.version)
          throw new Error(`the edit is for version ${textDocument.version}, the document has ${open.version}`);
        if (!open && textDocument.version !== null) throw new Error('a closed document has no version');
        const text = open?.getText() ?? files.read(new URL(textDocument.uri).pathname)?.text;
        if (text === undefined) throw new Error(`an edit of ${textDocument.uri}, which does not exist`);
        texts.set(
          textDocument.uri,
          TextDocument.applyEdits(TextDocument.create(textDocument.uri, 'cuda-cpp', 0, text), edits as TextEdit[]),
        );
      }
      for (const [uri, edits] of Object.entries(edit.changes ?? {}))
        texts.set(uri, TextDocument.applyEdits(editor.document(uri), edits));
      return texts;
    },
    stop() {
      connection.dispose();
      server.dispose();
    },
  };
  return editor;
}

/** Where a piece of text stands; the whole range when it is one. */
export function rangeOf(document: TextDocument, piece: string, from = 0): Range {
  const start = document.getText().indexOf(piece, from);
  if (start < 0) throw new Error(`"${piece}" is not in ${document.uri}`);
  return { start: document.positionAt(start), end: document.positionAt(start + piece.length) };
}

/** Findings as tests compare them: line from 1, rule, text. */
export function short(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(
    (each) => `${each.range.start.line + 1}:${each.range.start.character + 1} ${String(each.code)}: ${messageOf(each)}`,
  );
}

/** Messages are plain text in this server. */
export function messageOf({ message }: Diagnostic): string {
  if (typeof message !== 'string') throw new Error('the message is not a string');
  return message;
}

/** A connection to a server in a separate process, after the greetings of an editor that asks for findings. */
export async function connectedTo(
  server: ChildProcessByStdio<Writable, Readable, null>,
  folder: string,
): Promise<ProtocolConnection> {
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
    workspaceFolders: null,
  });
  await connection.sendNotification(InitializedNotification.type, {});
  return connection;
}

/** Each tile is read down a column; the fix pads it by one. */
export function columnKernel(name: string): string {
  return `__global__ void ${name}(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
void run_${name}(const float *in, float *out, int n) { ${name}<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n); }
`;
}
