// What the workspace asks of files. Injected: node's file system in the command line, open documents over it in the
// editor.

export interface FileText {
  readonly text: string;
  /** Changes whenever the text does: a document's version, or a file's time of modification. */
  readonly version: number;
}
export interface FolderEntry {
  readonly name: string;
  readonly folder: boolean;
}

/** Paths are absolute, in the form of the platform. Nothing throws: what cannot be read is undefined. */
export interface FileSystem {
  read(path: string): FileText | undefined;
  list(folder: string): readonly FolderEntry[] | undefined;
  /** The version that `read` would give, without reading. */
  version(path: string): number | undefined;
  /** No file comes or goes unless the one who holds the file system says so. */
  readonly isStill?: boolean;
  /**
   * Hears the names of files that change in a folder; with `mayBeOther` the file may have come or gone. Returns how to
   * stop; undefined where it cannot be watched. Absent where nothing can.
   */
  watch?(folder: string, heard: (name: string, mayBeOther: boolean) => void): (() => void) | undefined;
}

/** The text of a file, asked for only where there is one: most places that are looked at hold none. */
export function readIfThere(fileSystem: Pick<FileSystem, 'read' | 'version'>, path: string): FileText | undefined {
  return fileSystem.version(path) === undefined ? undefined : fileSystem.read(path);
}

/** Larger source files are left alone: generated tables, not code that people read. */
export const largestFile = 2.5 * 1024 * 1024;

/**
 * Text of the bytes of a source file: UTF-8 with or without a byte order mark, UTF-16 with one, else Latin-1, in which
 * every byte is a character. Undefined for binary contents.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  // The mark stays in the text, so that offsets are those of the editor's and an edited file keeps it.
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}

/** `text` in the encoding that `decodeText` found in `original`; undefined where Latin-1 lacks a character. */
export function encodeLike(original: Uint8Array, text: string): Uint8Array | undefined {
  const little = original[0] === 0xff && original[1] === 0xfe;
  if (little || (original[0] === 0xfe && original[1] === 0xff)) {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return little ? bytes : bytes.swap16();
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(original);
  } catch {
    return /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, 'latin1');
  }
  return Buffer.from(text, 'utf8');
}

/** Converts each name once: thousands of includes lead to one header. */
export function remembering(convert: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let made = known.get(name);
    if (made === undefined) known.set(name, (made = convert(name)));
    return made;
  };
}
