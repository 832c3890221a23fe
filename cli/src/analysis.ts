// One workspace over the machine's files, for every command that needs models.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WarplensSettings } from '../../protocol/src/settings';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { gpuByName } from '../../server/src/semantic/gpus';
import { unknownGpu } from '../../server/src/workspace/gpuNames';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../../server/src/workspace/workspace';
import { BadUse, placesIn, readSource, type Place } from './source';

/** Options that `check` and `model` share. */
export interface AnalysisFlags {
  readonly gpu?: string;
  readonly define?: readonly string[];
  readonly includeDir?: readonly string[];
  readonly compileCommands?: boolean;
}

/** What the flags chose, checked; plain data. What is absent is up to `warplens.json`, else the default. */
export type AnalysisSettings = Partial<
  Pick<WarplensSettings, 'gpu' | 'defines' | 'includeDirs' | 'useCompileCommands'>
>;

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Include folders are relative to the working directory, as for a compiler. Throws BadUse for an unknown GPU or an
 * invalid define.
 */
export function readAnalysisFlags(flags: AnalysisFlags, note?: (sentence: string) => void): AnalysisSettings {
  for (const include of flags.includeDir ?? [])
    if (!isFolder(include)) note?.(`There is no folder "${include}" (-I): no headers are found there.`);
  if (flags.gpu !== undefined && flags.gpu !== 'auto' && !gpuByName(flags.gpu)) throw new BadUse(unknownGpu(flags.gpu));
  const defines: Record<string, string> = {};
  for (const define of flags.define ?? []) {
    const match = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(define);
    if (!match) throw new BadUse(`Invalid --define "${define}": use NAME or NAME=VALUE.`);
    defines[match[1]!] = match[2] ?? '1';
  }
  return {
    ...(flags.gpu === undefined ? {} : { gpu: flags.gpu }),
    defines,
    includeDirs: (flags.includeDir ?? []).map((folder) => resolve(folder)),
    useCompileCommands: flags.compileCommands !== false,
  };
}

export async function openWorkspace(
  settings: AnalysisSettings,
  complain: (sentence: string) => void,
  files: Pick<WorkspaceOptions, 'fileSystem' | 'observer' | 'caches'> & { readonly syntax?: Syntax } = {
    fileSystem: nodeFileSystem,
  },
): Promise<Workspace> {
  const syntax = files.syntax ?? (await createSyntax(readGrammarFiles()));
  return createWorkspace({ ...files, syntax, complain, settings });
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
