// One workspace over the machine's files, for every command that needs models.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { gpuByName } from '../../server/src/semantic/gpus';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace, unknownGpu, type Workspace } from '../../server/src/workspace/workspace';
import { BadUse, placesIn, readSource, type Place } from './source';

/** Options that `check` and `model` share. */
export interface AnalysisFlags {
  readonly gpu?: string;
  readonly define?: readonly string[];
  readonly includeDir?: readonly string[];
  readonly compileCommands?: boolean;
}

/** Throws BadUse for an unknown GPU or a define that is no name. */
export async function openWorkspace(flags: AnalysisFlags, complain: (sentence: string) => void): Promise<Workspace> {
  if (flags.gpu !== undefined && flags.gpu !== 'auto' && !gpuByName(flags.gpu)) throw new BadUse(unknownGpu(flags.gpu));
  const defines: Record<string, string> = {};
  for (const define of flags.define ?? []) {
    const match = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(define);
    if (!match) throw new BadUse(`--define ${define}: write NAME or NAME=VALUE.`);
    defines[match[1]!] = match[2] ?? '1';
  }
  const syntax = await createSyntax(readGrammarFiles());
  return createWorkspace({
    fileSystem: nodeFileSystem,
    syntax,
    complain,
    settings: {
      gpu: flags.gpu ?? 'auto',
      defines,
      includeDirs: flags.includeDir ?? [],
      useCompileCommands: flags.compileCommands !== false,
    },
  });
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
export function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
}

/** Finds lines and columns in any file that a span points into. Files are read once. */
export function placeFinder(
  known: ReadonlyMap<string, string>,
): (span: { readonly uri: string; readonly start: number; readonly end: number }) => Place | undefined {
  const finders = new Map<string, ReturnType<typeof placesIn> | undefined>();
  return (span) => {
    if (!finders.has(span.uri)) {
      const text = known.get(span.uri) ?? readSource(pathOf(span.uri));
      finders.set(span.uri, typeof text === 'string' ? placesIn(text) : undefined);
    }
    return finders.get(span.uri)?.(span);
  };
}
