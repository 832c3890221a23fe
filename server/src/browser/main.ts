// Starts the language server in a worker of a browser: no disk, no threads, and grammars that the client hands over.
import { grammarRequest, type BrowserStart } from '../../../protocol/src/requests';
import { connectWorker, type WorkerScope } from '../lsp/connectWorker';
import { serve } from '../lsp/serve';
import type { FileSystem } from '../workspace/fileSystem';

/** What a worker of a browser has; this project is checked without the types of one. */
declare const self: WorkerScope & {
  setImmediate?: (then: () => void) => unknown;
  onmessage: (message: { readonly data: BrowserStart }) => void;
};

/** What yields to the next message; browsers lack Node's. */
self.setImmediate ??= (then: () => void) => setTimeout(then, 0);

const noDisk: FileSystem = { read: () => undefined, list: () => undefined, version: () => undefined };

// The first message brings the grammars that every session needs; all others are the protocol's.
self.onmessage = ({ data }: { readonly data: BrowserStart }) => {
  const connection = connectWorker(self);
  serve(connection, {
    fileSystem: noDisk,
    readGrammars: () => ({
      ...data.grammars,
      fortran: () => connection.sendRequest<Uint8Array>(grammarRequest, { name: 'tree-sitter-fortran.wasm' }),
    }),
  });
};
