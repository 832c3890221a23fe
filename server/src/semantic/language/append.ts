// Lists by key.

export function append<K, T>(
  lists: { get(key: K): T[] | undefined; set(key: K, list: T[]): unknown },
  key: K,
  ...ones: readonly T[]
): void {
  const list = lists.get(key);
  if (list) list.push(...ones);
  else lists.set(key, [...ones]);
}
