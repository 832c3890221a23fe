// What a fact says of its code, whatever its place and its fixes: it stays while that code does.
const identities = new WeakMap<object, object>();
const joinedIdentities = new WeakMap<object, WeakMap<object, object>>();

/** Equal for a fact and for those that are it in other versions of its file, each where its function stands then. */
export function identityOf(fact: object): object {
  let identity = identities.get(fact);
  if (!identity) identities.set(fact, (identity = {}));
  return identity;
}

/** `copy`, which says what `fact` says. */
export function identified<T extends object>(copy: T, fact: object): T {
  identities.set(copy, identityOf(fact));
  return copy;
}

/** `both`, which is made of two facts. */
export function joinedFrom<T extends object>(both: T, first: object, second: object): T {
  const [one, other] = [identityOf(first), identityOf(second)];
  let known = joinedIdentities.get(one);
  if (!known) joinedIdentities.set(one, (known = new WeakMap()));
  if (!known.has(other)) known.set(other, {});
  identities.set(both, known.get(other)!);
  return both;
}
