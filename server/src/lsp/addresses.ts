// Paths and URIs: an open document keeps the URI that its editor wrote, whatever the spelling.
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type Addresses = ReturnType<typeof createAddresses>;

export function createAddresses() {
  const open = new Map<string, string>();
  const pathOf = (uri: string, root?: string): string => {
    if (uri.startsWith('file:')) {
      try {
        return withSmallDrive(fileURLToPath(uri));
      } catch {
        /* a URI with a foreign host is not a file here */
      }
    }
    // Unsaved documents find their includes from the folder they will probably be saved to.
    return join(
      root ?? '/',
      basename(
        decodeURI(safe(uri))
          .replace(/[?#].*$/, '')
          .replace(/^[a-z][a-z0-9+.-]*:/i, ''),
      ) || 'unnamed.cu',
    );
  };
  return {
    /** An absolute path for any URI; a document that is not a file is in `root`. */
    toPath: pathOf,
    toUri: (path: string): string => open.get(path) ?? pathToFileURL(path).href,
    opened(uri: string): void {
      if (uri.startsWith('file:')) open.set(pathOf(uri), uri);
    },
    closed(uri: string): void {
      open.delete(pathOf(uri));
    },
  };
}

/** Windows does not care for the case of a drive letter, and editors do not agree on one. */
function withSmallDrive(path: string): string {
  return /^[A-Z]:/.test(path) ? path[0]!.toLowerCase() + path.slice(1) : path;
}

function safe(uri: string): string {
  try {
    decodeURI(uri);
    return uri;
  } catch {
    return encodeURI(uri);
  }
}
