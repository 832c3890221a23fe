// The samples' sources by absolute path.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const samplesFolder = join(__dirname, '../../samples');

/** Every CUDA source and header under `samples`, or what has these names; builds left out. */
export function readSampleFiles(named = /\.cuh?$/): Map<string, string> {
  const files = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'build') read(path);
      } else if (named.test(entry.name)) files.set(path, readFileSync(path, 'utf8'));
    }
  };
  read(samplesFolder);
  return files;
}
