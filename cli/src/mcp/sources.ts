// Paths that an agent names: only below the folder that the server was started for.
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { BadUse } from '../source';

/** The path without links. Throws BadUse where it is absent, or leads out of `root`, which has no links itself. */
export function pathWithin(root: string, given: string): string {
  const path = resolve(root, given);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new BadUse(`There is no file or folder "${given}" in ${root}.`);
  }
  const short = relative(root, real);
  if (short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short))
    throw new BadUse(`"${given}" is outside ${root}, the folder of this server.`);
  return real;
}
