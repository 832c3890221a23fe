// Reads a compiler's log from a file, packed or not.
import { gunzipSync } from 'node:zlib';
import { readPlainFile } from '../../server/src/workspace/nodeFileSystem';
import { BadUse } from './source';

const largestText = 32 * 1024 * 1024;

/** Throws BadUse for a file that cannot be read or unpacked. */
export function readCompilerLogFile(path: string): string {
  let bytes: Buffer;
  const tooLong = new BadUse(
    `--feedback ${path}: more than ${largestText / 1024 / 1024} MB is too long for a build ` +
      "log; name a file with the compiler's part of it.",
  );
  try {
    const found = readPlainFile(path, largestText);
    if ('problem' in found)
      throw found.problem === 'too-large'
        ? tooLong
        : new BadUse(
            `--feedback ${path}: it is a folder, a device or a pipe; write the compiler's output to a ` +
              'file and name that.',
          );
    bytes = found.bytes;
  } catch (error) {
    throw error instanceof BadUse
      ? error
      : new BadUse(
          `--feedback ${path}: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
        );
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: largestText }).toString('utf8');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLong
      : new BadUse(`--feedback ${path}: the gzip file is truncated; rebuild to regenerate it.`);
  }
}
