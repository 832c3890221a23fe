// Files that .gitignore files exclude from a searched folder.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

interface Level {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The .gitignore files that apply to one folder, the nearest first. */
export interface Ignored {
  /** Whether a file, or a folder with all its contents, is ignored. */
  holds(path: string, isFolder: boolean): boolean;
  /** The same for a subfolder. */
  below(folder: string): Ignored;
}

/**
 * For a folder that was named: files up to the root of its repository count, unless they ignore the named folder
 * itself.
 */
export function ignoredBelow(folder: string): Ignored {
  const above: Level[] = [];
  if (!existsSync(join(folder, '.git'))) {
    let isRepository = false;
    for (let outer = dirname(folder); ; outer = dirname(outer)) {
      const level = levelOf(outer);
      if (level) above.push(level);
      isRepository = existsSync(join(outer, '.git'));
      if (isRepository || dirname(outer) === outer) break;
    }
    if (!isRepository || ignoredOf(above).holds(folder, true)) above.length = 0;
  }
  return ignoredOf(above).below(folder);
}

function ignoredOf(levels: readonly Level[]): Ignored {
  return {
    holds(path, isFolder) {
      for (const { folder, rules } of levels) {
        const inner = relative(folder, path).split(sep).join('/') + (isFolder ? '/' : '');
        const { ignored, unignored } = rules.test(inner);
        if (ignored || unignored) return ignored;
      }
      return false;
    },
    below(folder) {
      const level = levelOf(folder);
      return level ? ignoredOf([level, ...levels]) : this;
    },
  };
}

function levelOf(folder: string): Level | undefined {
  try {
    return { folder, rules: ignore({ ignorecase: false }).add(readFileSync(join(folder, '.gitignore'), 'utf8')) };
  } catch {
    return undefined;
  }
}
