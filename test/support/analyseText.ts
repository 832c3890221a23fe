// Analyses texts in tests: a workspace over files that exist only in memory.
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import type { FileSystem } from '../../server/src/workspace/fileSystem';
import { createWorkspace, type Workspace } from '../../server/src/workspace/workspace';
import { mutated } from './mutated';
import type { WarplensSettings } from '../../protocol/src/settings';

let syntax: Promise<Syntax> | undefined;

/** One parser for all tests of a process; under mutation testing it keeps no tree from one test to the next. */
export function testSyntax(): Promise<Syntax> {
  return (syntax ??= createSyntax(readGrammarFiles()).then((made) => (mutated ? forgetful(made) : made)));
}

/** Much is remembered beside the trees that it was computed from. */
function forgetful(made: Syntax): Syntax {
  return {
    ...made,
    parse: (uri, ...rest) => {
      made.forget(uri);
      return made.parse(uri, ...rest);
    },
    parseFortran: (uri, ...rest) => {
      made.forget(uri);
      return made.parseFortran(uri, ...rest);
    },
  };
}

/** Files by absolute path. The map may change between calls; a changed text is a new version. */
export function memoryFileSystem(files: ReadonlyMap<string, string>): FileSystem {
  const versionOf = (text: string): number => {
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
    return hash;
  };
  return {
    read: (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : { text, version: versionOf(text) };
    },
    version: (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : versionOf(text);
    },
    list: (folder) => {
      const names = new Map<string, boolean>();
      for (const path of files.keys()) {
        if (dirname(path) === folder) names.set(path.slice(folder.length + 1), false);
        else if (path.startsWith(`${folder}/`)) names.set(path.slice(folder.length + 1).split('/')[0]!, true);
      }
      return names.size === 0 ? undefined : [...names].map(([name, isFolder]) => ({ name, folder: isFolder }));
    },
  };
}

export async function memoryWorkspace(
  files: ReadonlyMap<string, string>,
  settings: Partial<WarplensSettings> = {},
): Promise<Workspace> {
  return createWorkspace({ fileSystem: memoryFileSystem(files), syntax: await testSyntax(), settings });
}

export function memoryUri(name: string): string {
  return pathToFileURL(join('/memory', name)).href;
}
