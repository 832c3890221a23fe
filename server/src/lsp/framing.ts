// Passes whole messages of the base protocol and drops the rest, so that a bad header does not deafen the server.
import { Transform } from 'node:stream';

/** A longer message does not come from an editor. */
const longestMessage = 256 * 1024 * 1024;
const longestHeader = 8 * 1024;

/** A stream of whole frames; `complain` hears, once for each piece that is skipped, why. */
export function wholeMessages(complain: (sentence: string) => void): Transform {
  let chunks: Buffer[] = [];
  let length = 0;
  /** Bytes that the next message takes, header included; 0 while its header is not complete. */
  let wanted = 0;
  let lost = false;

  function take(all: Buffer, out: Transform): Buffer {
    let rest = all;
    for (;;) {
      if (wanted > 0) {
        if (rest.length < wanted) return rest;
        out.push(rest.subarray(0, wanted));
        rest = rest.subarray(wanted);
        wanted = 0;
        continue;
      }
      if (rest.length === 0) return rest;
      const end = rest.indexOf('\r\n\r\n');
      const header = end < 0 ? undefined : rest.subarray(0, end + 4);
      const size = header && bodyLength(header.toString('latin1'));
      if (header && size !== undefined) {
        wanted = header.length + size;
        lost = false;
        continue;
      }
      if (end < 0 && rest.length <= longestHeader) return rest;
      if (!lost) complain('Skipped an invalid message from the editor.');
      lost = true;
      // The next thing that may be a header; what is before it is of no use.
      const next = rest
        .subarray(1)
        .toString('latin1')
        .search(/content-length:/i);
      if (next < 0) return end < 0 ? rest.subarray(-32) : rest.subarray(end + 4);
      rest = rest.subarray(1 + next);
    }
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= wanted) {
        const rest = take(chunks.length === 1 ? chunk : Buffer.concat(chunks), this);
        chunks = rest.length > 0 ? [rest] : [];
        length = rest.length;
      }
      done();
    },
  });
}

/** Undefined for what is no header of a message. */
function bodyLength(header: string): number | undefined {
  let length: number | undefined;
  for (const line of header.trimEnd().split('\r\n')) {
    const [, name, value] = /^([A-Za-z-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) return undefined;
    if (name.toLowerCase() !== 'content-length') continue;
    if (!/^\d{1,9}$/.test(value!)) return undefined;
    length = Number(value);
  }
  return length === undefined || length > longestMessage ? undefined : length;
}
