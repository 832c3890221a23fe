// What the workspace asks of files. Injected: node's file system in the command line, open documents over it in the editor.

export interface FileText { readonly text: string; /** Changes whenever the text does: a document's version, or a file's time of modification. */ readonly version: number }
export interface FolderEntry { readonly name: string; readonly folder: boolean }

/** Paths are absolute and in the form of the platform. Nothing throws: what is absent, unreadable, binary or too large is undefined. */
export interface FileSystem {
  read(path: string): FileText | undefined;
  list(folder: string): readonly FolderEntry[] | undefined;
  /** The version that `read` would give, without reading. */
  version(path: string): number | undefined;
}

/** Larger source files are left alone: generated tables, not code that people read. */
export const largestFile = 2.5 * 1024 * 1024;

/** Text of the bytes of a source file: UTF-8 with or without a byte order mark, UTF-16 with one. Undefined for binary contents. Bytes that are no UTF-8 become U+FFFD. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  // The mark stays in the text, so that offsets are those of the editor's and an edited file keeps it.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
