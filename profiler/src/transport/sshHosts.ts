/** The hosts that the user's ssh configuration names, to choose from; what a name means is ssh's own business. */

import { readFile, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Names of `Host` lines without wildcards, in order, included files too. Files that cannot be read name none. */
export async function sshHosts(configuration = join(homedir(), '.ssh', 'config')): Promise<string[]> {
  const hosts = new Set<string>();
  const seen = new Set<string>();
  const read = async (path: string): Promise<void> => {
    if (seen.has(path) || seen.size > 100) return;
    seen.add(path);
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch {
      return;
    }
    for (const line of text.split(/\r?\n/)) {
      const match = /^\s*(host|include)(?:\s*=\s*|\s+)(.*?)\s*$/i.exec(line);
      if (!match) continue;
      const words = [...match[2]!.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2]!);
      for (const word of words) {
        if (word.startsWith('#')) break;
        if (match[1]!.toLowerCase() === 'host') {
          if (!/[*?!]/.test(word)) hosts.add(word);
        } else {
          for (const included of await filesOf(word, dirname(path))) await read(included);
        }
      }
    }
  };
  await read(configuration);
  return [...hosts];
}

/**
 * An `Include` path: ~ is the home, relative paths lie beside the configuration, and the last part may hold wildcards.
 */
async function filesOf(pattern: string, folder: string): Promise<string[]> {
  const path = pattern.startsWith('~/')
    ? join(homedir(), pattern.slice(2))
    : isAbsolute(pattern)
      ? pattern
      : join(folder, pattern);
  if (!/[*?]/.test(path)) return [path];
  const last = path.slice(dirname(path).length + 1);
  const expression = new RegExp(
    `^${last
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll('?', '[^/]')}$`,
  );
  try {
    return (await readdir(dirname(path)))
      .filter((name) => expression.test(name) && !name.startsWith('.'))
      .sort()
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}
