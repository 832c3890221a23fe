// A report on the local disk as a ByteSource: positioned reads, never the whole file.
import { open, stat } from 'node:fs/promises';
import type { ByteSource } from '../report/byteSource';

/** Opens a file for reading. The caller closes it. Errors are those of node:fs. */
export async function openFileSource(path: string): Promise<ByteSource & { close(): Promise<void> }> {
  // Not opened before it is known to be a plain file: a FIFO waits for somebody, and a device has no end.
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory()) throw new Error('it is a device or a pipe, not a regular file');
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return {
      size,
      async read(offset, into) {
        let done = 0;
        while (done < into.length) {
          const { bytesRead } = await handle.read(into, done, into.length - done, offset + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
        return done;
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
