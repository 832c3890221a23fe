// Answers the server's questions for files that it cannot read itself: those of a folder that is on no disk.
import { FileType, workspace } from 'vscode';
import type { FileAnswers, FileQuestions } from '../../protocol/src/requests';
import { uriOf } from './paths';

/** Only files in an open folder are reported. */
export async function answerFiles({ files, folders }: FileQuestions): Promise<FileAnswers> {
  const [texts, entries] = await Promise.all([Promise.all(files.map(textOf)), Promise.all(folders.map(entriesOf))]);
  return { files: texts, folders: entries };
}

async function textOf(path: string): Promise<string | null> {
  const uri = uriOf(path);
  if (!workspace.getWorkspaceFolder(uri)) return null;
  try {
    const bytes = await workspace.fs.readFile(uri);
    const encoding =
      bytes[0] === 0xff && bytes[1] === 0xfe
        ? 'utf-16le'
        : bytes[0] === 0xfe && bytes[1] === 0xff
          ? 'utf-16be'
          : 'utf-8';
    // The mark stays in the text, so that offsets are those of the editor.
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function entriesOf(path: string): Promise<(readonly [string, boolean])[] | null> {
  const uri = uriOf(path);
  if (!workspace.getWorkspaceFolder(uri)) return null;
  const entries = await workspace.fs.readDirectory(uri).then(undefined, () => null);
  return entries?.map(([name, type]) => [name, (type & FileType.Directory) !== 0] as const) ?? null;
}
