// What a fact says of its code, whatever its place and its fixes: it stays while that code does.
const identities = new WeakMap<object, { readonly id: string }>();
let count = 0;

/** Equal for a fact and for those that are it in other versions of its file, each where its function stands then. */
export function identityOf(fact: object): { readonly id: string } {
  const known = identities.get(fact) ?? { id: String(count++) };
  identities.set(fact, known);
  return known;
}

/** `copy`, which says what the facts say together. */
export function identified<T extends object>(copy: T, fact: object, other?: object): T {
  identities.set(copy, other ? { id: `${identityOf(fact).id}+${identityOf(other).id}` } : identityOf(fact));
  return copy;
}
