// Waits for a change of the files below paths.
import { statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { BadUse } from './badUse';

/** Resolves when something below the paths changed and rests. Rejects with BadUse where the system watches no more. */
export async function nextChange(paths: readonly string[]): Promise<void> {
  const watchers: ReturnType<typeof watch>[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const changed = (): void => {
        clearTimeout(timer);
        // Editors and builds write several files at once.
        timer = setTimeout(resolve, 150);
      };
      for (const path of paths) {
        const isFolder = statSync(path).isDirectory();
        // Headers lie beside a file that is named, and editors replace files.
        const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder }, changed);
        watchers.push(watcher.on('error', reject));
      }
    });
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    const step =
      code === 'ENOSPC' ? 'Raise fs.inotify.max_user_watches, or name fewer folders.' : 'Name other folders.';
    throw new BadUse(`The files cannot be watched (${code}). ${step}`);
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
}
