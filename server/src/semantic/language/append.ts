// Lists by key, and what is computed a single time.

export function append<K, T>(
  lists: { get(key: K): T[] | undefined; set(key: K, list: T[]): unknown },
  key: K,
  ...ones: readonly T[]
): void {
  const list = lists.get(key);
  if (list) list.push(...ones);
  else lists.set(key, [...ones]);
}

/** Computes what is asked of one thing a single time. */
export function once<C extends object, T>(find: (of: C) => T): (of: C) => T {
  const known = new WeakMap<C, { readonly found: T }>();
  return (of) => {
    let made = known.get(of);
    if (!made) known.set(of, (made = { found: find(of) }));
    return made.found;
  };
}
