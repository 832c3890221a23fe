// What a fact says of its code, whatever its place and its fixes: it stays while that code does.
interface Identity {
  readonly id: number;
  /** Of facts made of this one and another. */
  readonly joined: Map<number, Identity>;
}
const identities = new WeakMap<object, Identity>();
let count = 0;

/** Equal for a fact and for those that are it in other versions of its file, each where its function stands then. */
export function identityOf(fact: object): Identity {
  const known = identities.get(fact) ?? { id: count++, joined: new Map() };
  identities.set(fact, known);
  return known;
}
export function identified<T extends object>(copy: T, fact: object): T {
  identities.set(copy, identityOf(fact));
  return copy;
}
export function joinedFrom<T extends object>(both: T, first: object, second: object): T {
  const { joined } = identityOf(first);
  const { id } = identityOf(second);
  joined.set(id, joined.get(id) ?? identityOf(both));
  identities.set(both, joined.get(id)!);
  return both;
}
