// The server starts with the first document that may be code for a GPU, and not for plain C and C++.
import { deepStrictEqual } from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { FeatureContext } from '../../client/src/featureContext';
import { startWhenNeeded, type OpenDocuments } from '../../client/src/startServer';

const documentOf = (languageId: string, text: string): TextDocument =>
  ({ languageId, getText: () => text }) as TextDocument;
const plain = documentOf('cpp', 'int main() { return 0; }\n');
const kernel = '__global__ void k(float *a) {}\n';

interface Editor {
  readonly starts: () => number;
  readonly heard: () => number;
  readonly opened: (document: TextDocument) => void;
  readonly changed: (document: TextDocument) => void;
}

async function editorWith(...textDocuments: TextDocument[]): Promise<Editor> {
  const opens = new Set<(document: TextDocument) => void>();
  const changes = new Set<(change: { document: TextDocument }) => void>();
  const event =
    <T>(all: Set<(what: T) => void>) =>
    (hear: (what: T) => void) => {
      all.add(hear);
      return { dispose: () => void all.delete(hear) };
    };
  let starts = 0;
  const server = {
    state: 'waiting',
    start: async () => {
      starts++;
      server.state = 'running';
    },
  };
  await startWhenNeeded(
    { extension: { subscriptions: [] }, server } as unknown as FeatureContext,
    {
      textDocuments,
      onDidOpenTextDocument: event(opens),
      onDidChangeTextDocument: event(changes),
    } as unknown as OpenDocuments,
    ({ languageId }) => languageId !== 'markdown',
  );
  return {
    starts: () => starts,
    heard: () => opens.size + changes.size,
    opened: (document) => [...opens].forEach((hear) => hear(document)),
    changed: (document) => [...changes].forEach((hear) => hear({ document })),
  };
}

describe('the start of the server', () => {
  it('waits while there are plain C, C++ and other texts alone', async () => {
    const editor = await editorWith(plain, documentOf('markdown', kernel));
    editor.opened(documentOf('c', 'int f(void);\n'));
    editor.changed(plain);
    deepStrictEqual([editor.starts(), editor.heard()], [0, 2]);
  });

  it('comes with the first text for a GPU, opened or typed, and once', async () => {
    deepStrictEqual((await editorWith(plain, documentOf('cpp', kernel))).starts(), 1);
    const opening = await editorWith(plain);
    opening.opened(documentOf('cuda-cpp', ''));
    opening.opened(documentOf('cuda-cpp', ''));
    deepStrictEqual([opening.starts(), opening.heard()], [1, 0]);
    const typing = await editorWith(plain);
    typing.changed(documentOf('cpp', kernel));
    deepStrictEqual([typing.starts(), typing.heard()], [1, 0]);
  });
});
