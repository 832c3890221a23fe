// `node:url` for the browser's server: addresses of the scheme `file` and paths with `/`, as Node's do on POSIX
// systems.

/** Throws a TypeError for an invalid address, and for a host. */
export function fileURLToPath(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  if (protocol !== 'file:' || host !== '') throw new TypeError(`${address} is not a file on this machine.`);
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path: string): URL {
  const url = new URL('file:///');
  // What a URL's path may hold and would be taken for something else.
  url.pathname = path.replace(/[%\\\n\r\t?#]/g, (character) => encodeURIComponent(character));
  return url;
}
