// The process that analyses the files of a snapshot: it gets the files of a folder and sends the row of each.
import { readFixture } from '../../test/support/fixtureFile';
import { openWorkspace, readAnalysisFlags, uriOf } from '../../cli/src/analysis';
import { readSource } from '../../cli/src/source';
import { analysedOf } from '../bench/analysed';
import { type Row, rowOf } from './row';

/** The files of one folder of a tree, by their absolute paths. */
export interface Job {
  readonly tree: string;
  readonly root: string;
  readonly paths: readonly string[];
  /** The texts have the carets of fixtures. */
  readonly fixtures: boolean;
}
export type Answer = { readonly begins: string } | { readonly row: Row } | 'done';

const send = (answer: Answer): void => void process.send!(answer);

async function main(): Promise<void> {
  const workspace = await openWorkspace(readAnalysisFlags({}), (sentence) => console.error(sentence));
  process.on('message', ({ tree, root, paths, fixtures }: Job) => {
    void (async () => {
      const sources = paths.flatMap((path) => {
        const text = readSource(path);
        return typeof text === 'string' ? [{ path, text: fixtures ? readFixture(text).text : text }] : [];
      });
      for await (const { source, analysed } of analysedOf(workspace, sources, (path) => send({ begins: path })))
        send({
          row: rowOf(tree, source.path.slice(root.length + 1), `${uriOf(root)}/`, source.text, analysed),
        });
      send('done');
    })();
  });
  send('done');
}

void main();
