// Random access to the bytes of a report, so that the reader runs on a file, in a browser and in a test alike.

export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** Reads up to `into.length` bytes from `offset`; resolves to how many there were. */
  read(offset: number, into: Uint8Array): Promise<number>;
}

/** Bytes that are in memory already. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** A Blob or File of a browser, read piece by piece. */
export function blobSource(blob: Blob): ByteSource {
  return {
    size: blob.size,
    async read(offset, into) {
      const part = new Uint8Array(await blob.slice(offset, offset + into.length).arrayBuffer());
      into.set(part);
      return part.length;
    },
  };
}
