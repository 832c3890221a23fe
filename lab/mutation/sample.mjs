// The stretches of the proving folders whose mutants are tried, drawn by a seed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const folders = ['program', 'fixes', 'flow', 'acc/analysis'];
const stretch = 12;

/** Places as `--mutate` takes them: of every file about one stretch in `part`, the same ones for the same seed. */
export function sampled(part, seed, only) {
  return folders
    .filter((folder) => only === undefined || only === folder)
    .flatMap((folder) => {
      const path = `server/src/semantic/${folder}`;
      return readdirSync(join(root, path), { recursive: true })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => {
          const lines = readFileSync(join(root, path, name), 'utf8').split('\n').length;
          return Array.from({ length: Math.ceil(lines / stretch) }, (_, at) => at)
            .filter((at) => createHash('md5').update(`${seed} ${name} ${at}`).digest().readUInt32LE() % part === 0)
            .map((at) => `${path}/${name}:${at * stretch + 1}-${Math.min(lines, (at + 1) * stretch)}`);
        });
    });
}
