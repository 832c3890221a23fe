// A folder that is on no disk: the server asks its editor for what an analysis misses, reads again, and stays within bounds.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { DidChangeWatchedFilesNotification, FileChangeType } from 'vscode-languageserver-protocol/node';
import { filesRequest, type FileAnswers, type FileQuestions } from '../../protocol/src/requests';
import { createAskedFiles, mostGathered } from '../../server/src/workspace/askedFiles';
import { filesInMemory, pushedEditor, short, startEditor, uriOf, type Editor, type FilesInMemory } from './support';

const root = '/vscode-vfs:github/owner/name';
const address = (path: string): string => uriOf(`${root}/${path}`).replace('vfs:github', 'vfs%3Agithub');
const kernel =
  '#include "../lib/stride.cuh"\n__global__ void k(float *a) {\n  a[(blockIdx.x * 256 + threadIdx.x) * stride] = 1.0f;\n}\n';

function answering(files: FilesInMemory, heard: FileQuestions[] = []) {
  return (questions: FileQuestions): FileAnswers => {
    heard.push(questions);
    return {
      files: questions.files.map((path) => files.read(path)?.text ?? null),
      folders: questions.folders.map(
        (path) => files.list(path)?.map(({ name, folder }) => [name, folder] as const) ?? null,
      ),
    };
  };
}

describe('files that only the editor can read', () => {
  let editor: Editor;
  afterEach(() => editor?.stop());

  async function start(files: FilesInMemory, heard: FileQuestions[] = []): Promise<void> {
    editor = await startEditor({
      root,
      files: { '/elsewhere.cu': '' },
      capabilities: pushedEditor,
      initializationOptions: { answersFiles: true },
    });
    editor.connection.onRequest(filesRequest, answering(files, heard));
  }

  it('are found by includes and launches, and followed when they change', async () => {
    const files = filesInMemory({
      [`${root}/lib/stride.cuh`]: 'const int stride = 32;\n',
      [`${root}/src/k.cu`]: kernel,
      [`${root}/src/launch.cu`]: '__global__ void k(float *a);\nvoid f(float *a) { k<<<1024, 256>>>(a); }\n',
    });
    await start(files);
    editor.open(address('src/k.cu'), kernel);
    const said = (): string[] =>
      short(editor.publications().findLast(({ uri }) => uri === address('src/k.cu'))?.diagnostics ?? []);
    await editor.until(() => /uncoalesced/.test(said().join()) && !/assumed|not found/.test(said().join()), 'findings');
    match(said().join(), /^3:3 cuda\/uncoalesced-access: .*8\.0×/);
    files.write(`${root}/lib/stride.cuh`, 'const int stride = 1;\n');
    void editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: address('lib/stride.cuh'), type: FileChangeType.Changed }],
    });
    await editor.until(() => said().length === 0, `silence`);
  });

  it('are complete in the first answer, if the editor answers at once', async () => {
    const files = filesInMemory({
      [`${root}/lib/stride.cuh`]: 'const int stride = 1;\n',
      [`${root}/src/k.cu`]: kernel,
    });
    await start(files);
    editor.open(address('src/k.cu'), kernel);
    deepStrictEqual(short(await editor.published(address('src/k.cu'))), []);
  });
});

describe('questions for files', () => {
  it('are few: what a folder lacks is not asked for, and nothing twice', async () => {
    const heard: FileQuestions[] = [];
    const files = filesInMemory({ [`${root}/a/one.cuh`]: 'int one;\n' });
    const asked = createAskedFiles({ ask: async (questions) => answering(files, heard)(questions), arrived() {} });
    for (let round = 0; round < 3; round++) {
      for (const path of ['a/one.cuh', 'a/two.cuh', 'b/one.cuh', 'b/c/d.cuh']) asked.read(`${root}/${path}`);
      await asked.settled();
    }
    strictEqual(asked.read(`${root}/a/one.cuh`)?.text, 'int one;\n');
    const paths = heard.flatMap((questions) => [...questions.files, ...questions.folders]);
    strictEqual(new Set(paths).size, paths.length);
    ok(!paths.some((path) => /two\.cuh|d\.cuh|b\/one/.test(path)), paths.join(' '));
    strictEqual(asked.read('/usr/include/math.h'), undefined);
    ok(!paths.some((path) => path.startsWith('/usr')));
  });

  it('end at a bound, and an editor that does not answer leaves the files absent', async () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`${root}/d${at % 9}/f${at}.cu`, '']));
    const heard: FileQuestions[] = [];
    const files = filesInMemory(many);
    const asked = createAskedFiles({ ask: async (questions) => answering(files, heard)(questions), arrived() {} });
    strictEqual(await asked.gather(root, 24, { cancelled: () => false }), false);
    strictEqual(heard.flatMap((questions) => questions.files).length, mostGathered);
    let full = 0;
    const deaf = createAskedFiles({
      ask: () => Promise.reject(new Error('gone')),
      arrived: () => full++,
      full: () => full++,
    });
    strictEqual(deaf.read(`${root}/a.cu`), undefined);
    await deaf.settled();
    strictEqual(deaf.read(`${root}/a.cu`), undefined);
    await deaf.settled();
    strictEqual(deaf.read(`${root}/a.cu`), undefined);
    strictEqual(full, 0);
  });
});
