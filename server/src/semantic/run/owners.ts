// Vectors of host code whose number of elements is known: `std::vector<T> h(n)`, `thrust::device_vector<T> v = h`.
import type { CallExpr, Expr, VarDecl } from '../../syntax/ast';
import { lastPart, longType, sizeOf, some, type Type, typeName } from '../language';
import type { CallSite } from './callSite';
import { convert } from './conversions';
import { arithmetic } from './operations';
import { unsettledByHost } from './passedValues';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import { baseNamed } from './state';
import {
  blank,
  plain,
  Taint,
  type Cell,
  type Code,
  type Frame,
  type Path,
  type Place,
  type Run,
  type Value,
} from './values';

const owners = /^(std::)?vector$|^thrust::(device|host|universal)_vector$/;
/** Methods that leave the memory where it is. */
const keeping = /^(c?r?(begin|end)|empty|capacity|front|back|at|max_size|get_allocator)$/;
const [size, data] = ['size()', 'data()'];
/** Iterations of a loop over known elements that are run one by one. */
const mostVisited = 8;

function ownerOf(run: Run, type: Type, of: Type, count: Value, key: string, listed?: readonly Value[]): Value {
  const each = sizeOf(of);
  const total = each && arithmetic(run, '*', convert(run, count, longType), plain(longType, each, 0));
  const isSettled = total && typeof total.lanes === 'number' && !(total.taint & (unsettledByHost | Taint.variable));
  const bytes = isSettled ? (total.lanes as number) : undefined;
  const base = baseNamed(run, `${key}#${bytes ?? ''}`, listed ? 'local' : 'unknown', {
    ...{ bytes, bytesOf: total ? total.form : undefined },
  });
  listed?.forEach((value, at) => base.elements!.set(at * (each ?? 1), convert(run, value, of)));
  const pointer: Value = { ...blank, type: { kind: 'pointer', to: of }, lanes: 0, taint: 0, base };
  const fields = new Map([[size, convert(run, count, longType)] as const, [data, pointer] as const]);
  return { ...blank, type, lanes: 0, taint: 0, fields };
}

export function isOwner({ fields }: Value): boolean {
  return fields?.has(data) === true;
}

/** What a variable that is a vector starts with, where that gives its size; undefined for all other variables. */
export function compileOwner(
  scope: Scope,
  { type, init, initStyle, storage, start }: VarDecl,
  as: Type,
): Code | undefined {
  if (as.kind !== 'unknown' || type.kind !== 'named' || !owners.test(type.name) || storage) return undefined;
  const [arg] = type.args ?? [];
  if (!arg || !('type' in arg) || !arg.type) return undefined;
  const of = scope.types.resolve(arg.type, scope.bindings(), scope.within);
  const own: Type = { kind: 'unknown', name: `${type.name}<${typeName(of)}>` };
  const isList = init?.kind === 'initList' && initStyle !== '(' && (initStyle === '=' || of.kind === 'scalar');
  const list = !init ? [] : init.kind === 'initList' && (initStyle !== '=' || isList) ? init.elements : [init];
  const isCount = initStyle === '(' && (list.length === 1 || !some(list[0], ({ kind }) => kind === 'call'));
  const codes = list.map((each) => scope.expr(each));
  return (path, frame) => {
    const values = codes.map((code) => code(path, frame));
    const [first] = values;
    const { run } = frame;
    const listed = isList && of.kind === 'scalar' && values.every(({ type: each }) => each.kind === 'scalar');
    const key = `vector@${frame.fn.key}:${start}`;
    if (listed && run.setup.host && values.length > 0)
      return ownerOf(run, own, of, plain(longType, values.length, 0), key, values);
    const isNumber = isCount && list.length < 3 && first?.type.kind === 'scalar' && !first.type.float;
    const copied = list.length === 1 && first && isOwner(first) ? first.fields!.get(size) : undefined;
    const count = init ? (isNumber ? first : copied) : plain(longType, 0, Taint.maybe);
    if (!run.setup.host || !count) return plain(own, 0, Taint.chosen);
    return ownerOf(run, own, of, count, key);
  };
}

/** A method of a vector; undefined for other objects, and for what is not known of a vector. */
export function ownerMethod({ expr, name, args }: CallSite, place: Place, path: Path, frame: Frame): Value | undefined {
  // `v.data().get()`
  if (place.kind === 'value' && name === 'get' && args.length === 0 && place.type.kind === 'pointer')
    return place.value;
  if (place.kind !== 'cell' || place.path.length > 0 || !place.cell.value || !isOwner(place.cell.value))
    return undefined;
  const { cell } = place;
  const { type, fields } = cell.value!;
  // What was assigned has elements of another type.
  if (!holdsElements(cell)) return undefined;
  if (name === 'size' || name === 'data') return fields!.get(`${name}()`);
  if (keeping.test(name)) return undefined;
  const pointer = fields!.get(data)!.type;
  const count = name === 'resize' && path.unsure === 0 ? args[0]?.(path, frame) : undefined;
  cell.value =
    count && pointer.kind === 'pointer'
      ? ownerOf(frame.run, type, pointer.to, count, `vector@${frame.fn.key}:${expr.start}`)
      : plain(type, 0, Taint.chosen);
  return count && plain(type, 0, Taint.chosen);
}

/** The elements that a loop over an array or a vector of host code visits, where they are known. */
export function elementsOf(range: Value): readonly Value[] | undefined {
  const pointer = range.fields?.get(data) ?? range;
  const { base, type } = pointer;
  if (!base?.elements?.size || type.kind !== 'pointer') return undefined;
  const bytes = base.bytes ?? (base.type?.kind === 'array' ? sizeOf(base.type) : undefined);
  const each = sizeOf(type.to);
  if (bytes === undefined || !each || bytes / each > mostVisited) return undefined;
  const values = Array.from({ length: bytes / each }, (_, at) => base.elements!.get(at * each));
  return values.every((value) => value !== undefined) ? values : undefined;
}

const holdsElements = ({ type, value }: Cell): boolean =>
  value !== undefined && typeName(type) === typeName(value.type);
const dataOf = (cell: Cell | undefined): Value | undefined =>
  cell && holdsElements(cell) ? cell.value!.fields?.get(data) : undefined;

/** `thrust::raw_pointer_cast(v.data())`, `thrust::raw_pointer_cast(&v[0])` */
export function rawPointer(scope: Scope, { args: [arg] }: CallExpr): Code | undefined {
  const element = arg?.kind === 'unary' && arg.op === '&' && arg.operand.kind === 'index' ? arg.operand : undefined;
  if (element?.base.kind === 'name' && element.index.kind === 'number' && element.index.value === 0) {
    const ref = scope.lookup(element.base.name);
    return ref && ((_, frame) => dataOf(cellAt(frame, ref)) as Value);
  }
  return arg && isData(arg) ? scope.expr(arg) : undefined;
}
function isData({ kind, ...call }: Expr): boolean {
  const { callee } = call as Partial<CallExpr>;
  return kind === 'call' && callee?.kind === 'member' && lastPart(callee.field) === 'data';
}
