// Text of a stream without end, kept as its beginning and its end, in memory that does not grow.

export interface KeptText {
  add(piece: string): void;
  /** All of it, or its beginning and its end with one line between them that says how much is missing. */
  text(): string;
}

/** Characters of the beginning and of the end that are kept of what a program prints. */
export const keptCharacters = 256 * 1024;
/** Pieces are gathered to this length, for a program may print single characters. */
const block = 8192;

/** Keeps the first `limit` and the last `limit` characters. */
export function keepText(limit = keptCharacters): KeptText {
  let head = '';
  const blocks: string[] = [];
  let first = 0;
  let held = 0;
  let open = '';
  let dropped = 0;

  function close(): void {
    blocks.push(open);
    held += open.length;
    open = '';
    while (first < blocks.length && held - blocks[first]!.length >= limit) {
      held -= blocks[first]!.length;
      dropped += blocks[first]!.length;
      blocks[first++] = '';
    }
    if (first > 64 && first * 2 > blocks.length) {
      blocks.splice(0, first);
      first = 0;
    }
  }

  return {
    add(piece) {
      const room = limit - head.length;
      head += piece.slice(0, room);
      open += piece.slice(room);
      if (open.length >= block) close();
    },
    text() {
      const tail = blocks.slice(first).join('') + open;
      const cut = dropped + Math.max(0, tail.length - limit);
      return cut === 0 ? head + tail : `${head}\n… ${cut} characters omitted …\n${tail.slice(-limit)}`;
    },
  };
}
