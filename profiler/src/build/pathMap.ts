/** Which folder of the host stands for which folder here. */

export interface FolderPair {
  /** Folder as the compiler on the host saw it. */
  readonly host: string;
  /** The same folder on this machine. */
  readonly here: string;
}

/** The path here of a path on the host, by the longest folder that fits; undefined when none does. */
export function pathHere(path: string, pairs: readonly FolderPair[]): string | undefined {
  let best: FolderPair | undefined;
  for (const pair of pairs) {
    if ((path === pair.host || path.startsWith(pair.host === '/' ? '/' : `${pair.host}/`)) && (!best || pair.host.length > best.host.length)) best = pair;
  }
  if (!best) return undefined;
  const rest = path.slice(best.host.length).replace(/^\//, '');
  return rest === '' ? best.here : best.here.endsWith('/') ? best.here + rest : `${best.here}/${rest}`;
}
