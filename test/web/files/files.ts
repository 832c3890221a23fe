// A file system for the web tests: the folder that tools/editor/webWorkbench.ts serves, over HTTP.
import {
  Disposable,
  EventEmitter,
  FileChangeType,
  FileSystemError,
  FileType,
  workspace,
  type ExtensionContext,
  type FileChangeEvent,
  type FileStat,
  type FileSystemProvider,
  type Uri,
} from 'vscode';

export function activate({ extensionUri, subscriptions }: ExtensionContext): void {
  const base = `${extensionUri.scheme}://${extensionUri.authority}/mount`;
  const changed = new EventEmitter<FileChangeEvent[]>();
  const ask = async (uri: Uri, method: string, content?: Uint8Array): Promise<Response> => {
    const response = await fetch(base + uri.path.split('/').map(encodeURIComponent).join('/'), {
      method,
      ...(content ? { body: content as Uint8Array<ArrayBuffer> } : {}),
    });
    if (!response.ok) throw FileSystemError.FileNotFound(uri);
    return response;
  };
  const provider: FileSystemProvider = {
    onDidChangeFile: changed.event,
    watch: () => new Disposable(() => {}),
    async stat(uri): Promise<FileStat> {
      const { headers } = await ask(uri, 'HEAD');
      return {
        type: headers.get('x-kind') === 'folder' ? FileType.Directory : FileType.File,
        ctime: 0,
        mtime: Number(headers.get('x-modified')),
        size: Number(headers.get('x-size')),
      };
    },
    async readDirectory(uri) {
      const entries = (await (await ask(uri, 'GET')).json()) as [string, boolean][];
      return entries.map(([name, folder]) => [name, folder ? FileType.Directory : FileType.File]);
    },
    readFile: async (uri) => new Uint8Array(await (await ask(uri, 'GET')).arrayBuffer()),
    async writeFile(uri, content) {
      const before = await ask(uri, 'HEAD').catch(() => undefined);
      await ask(uri, 'PUT', content);
      changed.fire([{ type: before ? FileChangeType.Changed : FileChangeType.Created, uri }]);
    },
    async delete(uri) {
      await ask(uri, 'DELETE');
      changed.fire([{ type: FileChangeType.Deleted, uri }]);
    },
    // The folders of a file are made with it.
    createDirectory() {},
    rename() {
      throw FileSystemError.NoPermissions('The tests rename nothing.');
    },
  };
  subscriptions.push(workspace.registerFileSystemProvider('warplens-test', provider, { isCaseSensitive: true }));
}
