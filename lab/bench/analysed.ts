// Analyses all sources below a folder, one after the other, as `warplens check` does.
import { dirname, extname } from 'node:path';
import { type openWorkspace, uriOf } from '../../cli/src/analysis';
import { findSources, type Source } from '../../cli/src/source';
import type { Analysed } from '../../server/src/workspace/workspace';

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;
type All = AsyncIterable<{ readonly source: Source; readonly analysed: Analysed }>;

/** Each source below `folder`, of these extensions (`.cu`) or of all where they are absent, with its analysis. */
export function analysedIn(workspace: Workspace, folder: string, extensions: readonly string[] | undefined): All {
  const sources = findSources([folder], (sentence) => console.error(sentence)).filter(
    ({ path }) => extensions === undefined || extensions.includes(extname(path)),
  );
  return analysedOf(workspace, sources);
}

/** `begins` gets the path of each source before it is analysed. */
export async function* analysedOf(
  workspace: Workspace,
  sources: readonly Source[],
  begins?: (path: string) => void,
): All {
  const read = new Set<string>();
  let inFolder = '';
  for (const source of sources) {
    begins?.(source.path);
    const uri = uriOf(source.path);
    await workspace.ready(uri);
    if (dirname(source.path) !== inFolder) {
      for (const one of read) workspace.forget(one);
      read.clear();
      inFolder = dirname(source.path);
    }
    const analysed = workspace.analyse(uri, { text: source.text, version: 1 })!;
    for (const file of analysed.files) read.add(file.uri);
    yield { source, analysed };
    workspace.forget(uri);
  }
  for (const one of read) workspace.forget(one);
}
