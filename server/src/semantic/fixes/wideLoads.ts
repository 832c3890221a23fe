// Neighbouring loads of one thread from an address that is proven to be aligned: one vector load before them.
import type { Expr, Stmt } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import type { AnySyntax, Fn, Index, Local } from '../language';
import { append, localsIn, onceWith, some, walk, writtenAround } from '../language';
import { hasMacro, hidesEffects, isPureCall } from '../program';
import { isAligned } from './alignedPlaces';
import { freshNamesOf, hasComment } from './writing/edits';
import { refuser } from './writing/refusals';
import type { StoreCost, VectorType } from './wideStores';
import { alignedPieces, elementTypeOf, gainOf, relationOf, vectorsOf } from './wideStores';

const refused = refuser<'neighbours' | 'type' | 'alignment' | 'writes' | 'names' | 'macros' | 'comments' | 'gain'>(
  'wide-loads',
);

type Element = Extract<Expr, { kind: 'index' }>;

/** A read that its statement always makes, `by` elements behind the access that is asked about. */
interface Load {
  readonly stmt: Stmt;
  readonly element: Element;
  readonly index: Index;
  readonly by: number;
}

/**
 * The edits where `access` is one of several loads of neighbouring elements in a list of statements; undefined where it
 * is the only one. An aligned piece of at most 16 bytes lies in one sector: the wide load asks for the sectors of each
 * narrow one.
 */
export function wideLoadsOf(
  fn: Fn,
  access: Expr,
  cost: StoreCost,
  elsewhere = false,
  /** Names that other fixes of the function write. */
  others?: ReadonlySet<string>,
): RewriteFact | Refusal | undefined {
  const found = vectorsAt(fn, access, elsewhere);
  if (!found || 'why' in found) return found;
  const { array, pieces, vector } = found;
  const gain = gainOf(cost, vector.bytes);
  if ('why' in gain) return refused('gain', 'each load would still request as many sectors');
  const edits = editsOf(pieces, array, fn, others);
  if (!edits) return refused('comments', 'a comment is in the way of the edits');
  const count = pieces.reduce((sum, { vector }) => sum + vector.count, 0);
  return { edits, title: `Load ${count} elements as ${vector.name}: ${gain.text}` };
}

/** Every fix of the function asks for the vectors of all its accesses. */
const vectorsAt = onceWith((fn: Fn, access: Expr, elsewhere: boolean) => {
  const array = access.kind === 'index' && access.base.kind === 'name' ? fn.local(access.base) : undefined;
  const around = array && elementTypeOf(array, 'load') && statementAround(access, fn);
  if (access.kind !== 'index' || !array || !around) return undefined;
  const { statements, why } = stretchAround(around.list, around.at, array, elsewhere, fn);
  const loads = loadsIn(statements, access, array, fn);
  const vectors = vectorsOf(array, fn, 'load');
  if (!loads.some(({ by }) => Math.abs(by) === 1)) return why === undefined ? undefined : refused('writes', why);
  if (vectors.length === 0) return refused('type', `CUDA has no vector type for the elements of \`${array.name}\``);
  if (loads.some(({ stmt, element }) => stmt.macro || hasMacro(element)))
    return refused('macros', 'one of the loads comes from a macro');
  const at = new Map<number, Load[]>();
  for (const load of loads) append(at, load.by, load);
  const pieces = alignedPieces(
    [...at.keys()].sort((a, b) => a - b),
    vectors,
    (start, by) => at.get(start + by),
    ([first], { bytes }) => isAligned(first!.element.base, first!.index, bytes, fn, elsewhere),
  ).map(({ vector, parts }): Piece => ({ vector, loads: parts.flat(), first: parts[0]![0]! }));
  const lowest = pieces.find((piece) => piece.loads.some(({ by }) => by === 0));
  if (!lowest)
    return pieces.length > 0 || loads.length < 2
      ? refused('neighbours', 'the neighbouring loads make up no whole vector')
      : refused('alignment', `alignment of \`${array.name}\` is not proven`);
  const late = pieces.find((piece) => !isKnownBefore(piece, fn));
  if (late) return refused('names', 'its index uses a variable that is declared between the loads');
  return { array, pieces, vector: lowest.vector };
});

type Straight = Extract<Stmt, { kind: 'expr' | 'decl' }>;
const isStraight = (node: AnySyntax | undefined): node is Straight => node?.kind === 'expr' || node?.kind === 'decl';

/** The statement that always evaluates an expression, and the list that it is in: it alone where it has no braces. */
function statementAround(access: Expr, fn: Fn): { readonly list: readonly Stmt[]; readonly at: number } | undefined {
  let at: AnySyntax = access;
  for (let up = fn.parent(at); up; up = fn.parent(up)) {
    if (isStraight(at)) {
      if (up.kind === 'block') return { list: up.body, at: up.body.indexOf(at) };
      const isBody = (up.kind === 'for' || up.kind === 'while') && up.body === at;
      return isBody || (up.kind === 'if' && (up.then === at || up.else === at)) ? { list: [at], at: 0 } : undefined;
    }
    const isMaybe =
      (up.kind === 'conditional' && at !== up.cond) ||
      (up.kind === 'binary' && /^(&&|\|\|)$/.test(up.op) && at === up.right);
    if (isMaybe || hidesEffects(up)) return undefined;
    at = up;
  }
  return undefined;
}

/**
 * The statements around one between which no element of the array changes; `why` names what ends them where another
 * statement follows.
 */
function stretchAround(
  list: readonly Stmt[],
  at: number,
  array: Local,
  elsewhere: boolean,
  fn: Fn,
): { readonly statements: readonly Stmt[]; readonly why?: string } {
  let why: string | undefined;
  const leaves = (stmt: Stmt): boolean => {
    const found = changeIn(fn, stmt, array, elsewhere);
    why ??= found;
    return found === undefined;
  };
  let [from, to] = [at, at];
  while (isStraight(list[from - 1]) && leaves(list[from - 1]!)) from--;
  // The last statement writes after all of its reads.
  while (isStraight(list[to + 1]) && leaves(list[to]!)) to++;
  return { statements: list.slice(from, to + 1), ...(why === undefined ? {} : { why }) };
}

/** How running a statement may change an element of the array, or what its index is made of; asked by each access. */
const changeIn = onceWith((fn: Fn, stmt: Stmt, array: Local, elsewhere: boolean): string | undefined => {
  let why: string | undefined;
  walk(stmt, (node) => {
    if (hidesEffects(node) || (node.kind === 'call' && !isPureCall(node, fn)))
      why = 'a call between the loads may have side effects';
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if (target && relationOf(target, array, elsewhere, fn) !== 'apart')
      why = 'another write between the loads may overlap them';
    return why === undefined;
  });
  return why;
});

/** Reads of the array that the statements always make, at constant distances, while what their index holds stays. */
function loadsIn(statements: readonly Stmt[], access: Element, array: Local, fn: Fn): readonly Load[] {
  const wanted = fn.index(access.index);
  if (!wanted) return [];
  const isChanged = (local: Local): boolean =>
    local.addressTaken || local.writes.some((write) => statements.some((stmt) => fn.isInside(write.node, stmt)));
  if ([...localsIn(wanted)].some(isChanged)) return [];
  const found: Load[] = [];
  for (const stmt of statements)
    for (const { element, array: read, index } of readsOf(fn, stmt)) {
      const by = read === array ? index.plus(wanted, -1).number : undefined;
      if (by !== undefined) found.push({ stmt, element, index, by });
    }
  return found;
}

/** The elements that a statement always reads. */
const readsOf = onceWith((fn: Fn, stmt: Stmt) => {
  const found: { readonly element: Element; readonly array: Local | undefined; readonly index: Index }[] = [];
  walk(stmt, (node) => {
    if (node.kind !== 'index' || node.base.kind !== 'name') return;
    const around = statementAround(node, fn);
    const index = fn.index(node.index);
    if (around?.list[around.at] === stmt && index && isRead(node, fn))
      found.push({ element: node, array: fn.local(node.base), index });
  });
  return found;
});

function isRead(node: Expr, fn: Fn): boolean {
  const up = fn.parent(node);
  if (up?.kind === 'assign') return up.target !== node;
  return up?.kind !== 'update' && up?.kind !== 'member' && !(up?.kind === 'unary' && up.op === '&');
}

interface Piece {
  readonly vector: VectorType;
  /** All loads of its elements; the first load of its first element is the one that is proven to be aligned. */
  readonly loads: readonly Load[];
  readonly first: Load;
}

/** Is the first of a piece's statements where the address of its first element can be written? */
function isKnownBefore({ loads, first }: Piece, fn: Fn): boolean {
  const start = Math.min(...loads.map(({ stmt }) => stmt.start));
  return !some(first.element.index, (node) => {
    const variable = node.kind === 'name' ? fn.local(node)?.variable : undefined;
    return !!variable && variable.start >= start && variable.start < first.element.start;
  });
}

const parts = ['x', 'y', 'z', 'w'];

function editsOf(pieces: readonly Piece[], array: Local, fn: Fn, others?: ReadonlySet<string>): Edit[] | undefined {
  if (pieces.some(({ loads }) => loads.some(({ element }) => hasComment(fn, element)))) return undefined;
  const fresh = freshNamesOf(fn, others);
  const lines = new Map<Stmt, string[]>();
  const read = pieces.flatMap(({ vector, loads, first }, at): Edit[] => {
    const name = fresh(`${array.name}Parts${pieces.length > 1 ? at : ''}`);
    const from = fn.text(first.element).trim();
    const earliest = loads.reduce((least, { stmt }) => (stmt.start < least.start ? stmt : least), first.stmt);
    const load = `const ${vector.name} ${name} = *reinterpret_cast<const ${vector.name} *>(&${from});`;
    append(lines, earliest, load);
    return loads.map(({ element, by }) => ({
      at: fn.span(element),
      newText: `${name}.${parts[by - first.by]}`,
    }));
  });
  const written = [...lines].flatMap(([stmt, before]) => writtenAround(fn, stmt, { before }));
  return [...written, ...read];
}
