// Places: the variables, elements and fields that expressions name, what a load of them gives and what a store leaves.
import { open } from './forms';
import { convert } from './conversions';
import type { Expr } from '../../syntax/ast';
import { settledMembers, intType, isSizeKnown, sizeOf, type Type, typeName } from '../language';
import { perhaps } from './usual';
import { add, firstActive, map1, multiply, variesInBlock, variesInWarp, type Lanes } from './lanes';
import { arithmetic, merge, offsetForm } from './operations';
import { baseNamed, isOfCall, requireEvery, unseen } from './state';
import {
  blank,
  plain,
  Taint,
  uncertain,
  type Cell,
  type Frame,
  type MemoryPlace,
  type Path,
  type Place,
  type Run,
  type Value,
} from './values';

/** Elements of a thread's own array that are kept apart. */
const mostElements = 4096;

export function cellPlace(cell: Cell): Place {
  if (cell.ref) return cell.ref;
  if (cell.type.kind === 'array' && cell.value?.base) return memoryPlace(cell.value, cell.type);
  return { kind: 'cell', cell, path: [], type: cell.type };
}

/** The place that a pointer's value points to, as of type `type`. */
function memoryPlace(pointer: Value, type: Type): MemoryPlace {
  return {
    kind: 'memory',
    base: pointer.base!,
    offset: pointer.lanes,
    taint: pointer.taint,
    type,
    form: pointer.form,
    part: undefined,
  };
}
/** A pointer to the start of what a place holds. */
export function addressOf(place: Place): Value {
  if (place.kind !== 'memory')
    return { ...blank, type: { kind: 'pointer', to: place.type }, lanes: 0, taint: 0, target: place };
  return pointerTo(place, place.type);
}
function pointerTo(place: MemoryPlace, to: Type): Value {
  return {
    ...blank,
    type: { kind: 'pointer', to },
    lanes: place.offset,
    taint: place.taint,
    base: place.base,
    form: place.form,
  };
}

export function deref(run: Run, pointer: Value): Place {
  if (pointer.target) return pointer.target;
  const { type } = pointer;
  const to: Type = type.kind === 'pointer' ? type.to : type.kind === 'unknown' ? type : intType;
  if (pointer.base) return memoryPlace(pointer, to);
  return memoryPlace({ ...pointer, base: baseNamed(run, `*${pointer.key ?? '?'}`, 'unknown') }, to);
}

export function elementOf(run: Run, base: Place, index: Value): Place {
  if (base.kind === 'memory' && base.type.kind === 'array') {
    const size = sizeOf(base.type.of);
    const form = offsetForm(run, { lanes: base.offset, taint: base.taint, form: base.form }, index, size ?? 4);
    return {
      kind: 'memory',
      base: base.base,
      offset: add(base.offset, multiply(index.lanes, size ?? 4)),
      taint: base.taint | index.taint | (isSizeKnown(base.type.of) ? 0 : Taint.assumed),
      type: base.type.of,
      form,
      part: undefined,
    };
  }
  const pointer: Value = base.kind === 'value' ? base.value : plain(intType, 0, 0);
  return deref(run, arithmetic(run, '+', pointer, index));
}

export function fieldPlace(run: Run, object: Place, field: string): Place {
  const struct = object.type.kind === 'struct' ? object.type : undefined;
  const found = struct?.fields.get(field);
  const constant = struct && !found ? run.setup.types.staticOf(struct, field) : undefined;
  if (constant !== undefined) {
    const value = plain(intType, constant, 0);
    return { kind: 'value', value, type: value.type };
  }
  if (object.kind === 'memory') {
    const settled = found && settledField(run, object.type, field, found.type);
    if (settled) return { kind: 'value', value: settled, type: settled.type };
    const outer = object.part && object.part.type === object.type ? object.part : undefined;
    const inOuter = outer && struct && outer.alignment >= struct.align ? outer.offset : 0;
    const part =
      found && struct
        ? { alignment: Math.max(outer?.alignment ?? 1, struct.align), offset: inOuter + found.offset, type: found.type }
        : undefined;
    return {
      ...object,
      offset: add(object.offset, found?.offset ?? 0),
      type: found?.type ?? { kind: 'unknown', name: field },
      taint: object.taint | (!found ? Taint.assumed : struct!.guessed && found.offset > 0 ? Taint.unplaced : 0),
      part,
    };
  }
  const type: Type = found?.type ?? { kind: 'unknown', name: field };
  if (object.kind === 'cell') {
    let holder: Value | undefined = object.cell.value;
    for (const part of object.path) holder = holder?.fields?.get(part);
    const value = holder?.fields?.get(field);
    if (type.kind === 'array' && value?.base) return memoryPlace({ ...value, lanes: 0, taint: 0 }, type);
    return {
      kind: 'cell',
      cell: object.cell,
      path: [...object.path, field],
      type: value && type.kind === 'unknown' ? value.type : type,
    };
  }
  if (object.value.target) return fieldPlace(run, object.value.target, field);
  const value = fieldOf(run, object.value, field, type);
  if (type.kind === 'array' && value.base) return memoryPlace(value, type);
  return { kind: 'value', value, type: value.type };
}

function fieldOf(run: Run, object: Value, field: string, type: Type): Value {
  const known = object.fields?.get(field) ?? settledField(run, object.type, field, type);
  if (known) return known;
  if (field === 'multiProcessorCount') return plain(intType, run.setup.gpu.multiprocessors, Taint.chosen);
  if (field === 'maxThreadsPerBlock') return plain(intType, 1024, Taint.chosen);
  if (field === 'warpSize') return plain(intType, 32, 0);
  const key = `${object.key ?? 'object'}.${field}`;
  if (object.taint & Taint.loaded && typeof object.lanes !== 'number')
    return unseen(run, type, key, object.taint, object.lanes);
  const of = isOfCall(object) ? 'call' : undefined;
  return unseen(run, type, key, object.taint | Taint.chosen, undefined, key, of);
}

/** What all host code sets a member to, on an object that the run did not see made. */
function settledField(run: Run, object: Type, field: string, type: Type): Value | undefined {
  if (!run.setup.host || object.kind !== 'struct' || !object.decl) return undefined;
  run.members.set(`${object.decl.name} ${field}`, [object.decl.name, field]);
  const value = settledMembers(run.setup.program, run.setup.types).constantIn(object, field);
  return value === undefined ? undefined : plain(type, value, 0);
}

export function load(run: Run, place: Place, path: Path, frame: Frame, node: Expr): Value {
  switch (place.kind) {
    case 'value':
      return place.value;
    case 'cell': {
      let { value } = place.cell;
      if (!value) return { ...blank, type: place.type, lanes: 0, taint: Taint.maybe, key: place.cell.name };
      let type: Type = place.cell.type;
      for (const part of place.path) {
        type = fieldType(type, part);
        value = fieldOf(run, value, part, type);
      }
      return run.setup.host && place.cell.global ? { ...value, taint: value.taint | Taint.variable } : value;
    }
    case 'memory': {
      if (place.type.kind === 'array') return pointerTo(place, place.type.of);
      if (run.setup.contents) return run.setup.contents.load(place, path);
      if (place.base.elements) {
        const known = loadLocal(run, place, path);
        if (known) {
          if (typeof place.offset !== 'number') run.recorder.access(place, 'load', path, frame, node);
          return known;
        }
      }
      run.recorder.access(place, 'load', path, frame, node);
      return loaded(run, place, path);
    }
  }
}
export function fieldType(type: Type, field: string): Type {
  return (type.kind === 'struct' ? type.fields.get(field)?.type : undefined) ?? { kind: 'unknown', name: field };
}

function loadLocal(run: Run, place: MemoryPlace, path: Path): Value | undefined {
  requireEvery(run, place.form);
  const elements = place.base.elements!;
  const offset = variesInBlock(place.offset, path.mask) ? undefined : firstActive(place.offset, path.mask);
  if (offset !== undefined) {
    const exact = elements.get(offset);
    if (exact) return place.taint & open ? without(exact, Taint.maybe) : exact;
  }
  const first = elements.values().next().value as Value | undefined;
  if (!first) {
    const { type, base } = place;
    const to = type.kind === 'pointer' ? baseNamed(run, `${base.name}[]`, 'global', { type: type.to }) : undefined;
    return { ...blank, type, lanes: 0, taint: Taint.maybe, base: to };
  }
  let taint = place.taint;
  for (const value of elements.values()) taint |= value.taint;
  return { ...without(first, taint | Taint.maybe), type: place.type };
}
/** The value with taints added that its form does not tell of. */
function without(value: Value, taint: number): Value {
  return { ...value, form: undefined, taint: value.taint | taint };
}

/** The value of a load: an unknown where all lanes of each warp read one place, their own numbers where they do not. */
function loaded(run: Run, place: MemoryPlace, path: Path): Value {
  const { type } = place;
  const scalar = type.kind === 'scalar' ? type : undefined;
  const varies = variesInWarp(place.offset, path.mask);
  const carried = place.taint & (Taint.thread | Taint.block);
  const wide = scalar && !scalar.float && scalar.size === 8;
  const hash = (offset: number): number => {
    const mixed = Math.imul((Math.trunc(offset) ^ (place.base.id * 40503)) | 0, 0x9e3779b1) >>> 12;
    // Values of eight bytes differ in both halves, since code packs two numbers into one.
    return 1024 * (64 + (mixed % 4093)) * (wide && varies ? 2097153 : 1);
  };
  const name = `${place.base.name}[…]`;
  if (!varies && typeof place.offset === 'number') {
    const taint = carried | Taint.chosen | Taint.loadedUniform;
    const witness = scalar && scalar.size > 1 && !scalar.float ? hash(place.offset) : undefined;
    const key = `${place.base.name}#${place.base.id}[]@${place.offset}`;
    return unseen(run, type, key, taint, witness, nameOfElement(place, place.offset) ?? name);
  }
  const lanes: Lanes = scalar?.float
    ? map1(place.offset, (offset) => (hash(offset) % 997) / 7)
    : scalar?.size === 1
      ? map1(place.offset, (offset) => hash(offset) % 251)
      : map1(place.offset, hash);
  const key = `${place.base.name}[]`;
  const value = unseen(run, type, key, carried | (varies ? Taint.loaded : Taint.chosen | Taint.loadedUniform), lanes);
  // One number for each warp, such as the start of the row that the warp works on, moves its lanes alike.
  if (varies || !scalar || scalar.float || value.form || typeof value.lanes === 'number') return value;
  return { ...value, form: run.unknowns.opaque(value.lanes, name) };
}

/** Of an array that came along in a structure: `strides[1]`. */
function nameOfElement({ base, type, form, taint }: MemoryPlace, offset: number): string | undefined {
  const size = base.space === 'unknown' && !form?.length && !(taint & open) ? sizeOf(type) : undefined;
  return size ? `${base.name}[${offset / size}]` : undefined;
}

export function store(
  run: Run,
  place: Place,
  value: Value,
  path: Path,
  frame: Frame,
  node: Expr,
  record: boolean,
): void {
  switch (place.kind) {
    case 'value':
      return;
    case 'cell': {
      const { cell } = place;
      const next = convert(run, value, place.type);
      const unsure = run.setup.host && cell.global === true && path.unsure > 0;
      if (place.path.length === 0) {
        const old = cell.value;
        if (unsure) cell.value = perhaps(old, next);
        else cell.value = old && isAlike(old.type, next.type) ? merge(run, old, next, path.mask) : next;
        if (cell.type.kind === 'unknown' && !old?.fields) cell.type = next.type;
        return;
      }
      const type: Type = cell.type.kind === 'unknown' ? { kind: 'unknown', name: 'struct' } : cell.type;
      cell.value = withField(run, cell.value, place.path, 0, type, next, path, unsure);
      return;
    }
    case 'memory':
      if (place.type.kind === 'array') return;
      if (run.setup.contents) run.setup.contents.store(place, convert(run, value, place.type), path);
      else if (record && (!place.base.elements || typeof place.offset !== 'number'))
        run.recorder.access(place, 'store', path, frame, node, value);
      if (place.base.elements) storeLocal(run, place, value, path);
  }
}

const isAlike = (old: Type, next: Type): boolean =>
  old.kind === next.kind && (old.kind !== 'unknown' || typeName(old) === typeName(next));

function withField(
  run: Run,
  object: Value | undefined,
  names: readonly string[],
  at: number,
  type: Type,
  next: Value,
  path: Path,
  unsure: boolean,
): Value {
  const name = names[at]!;
  const inner = fieldType(type, name);
  const fields = new Map(object?.fields ?? []);
  const old = fields.get(name);
  if (at === names.length - 1 && unsure) fields.set(name, perhaps(old, next));
  else if (at === names.length - 1) fields.set(name, old ? merge(run, old, next, path.mask) : next);
  else {
    const holder = old ?? (object ? fieldOf(run, object, name, inner) : undefined);
    fields.set(name, withField(run, holder, names, at + 1, inner, next, path, unsure));
  }
  return { ...blank, type, lanes: 0, taint: object?.taint ?? 0, key: object?.key, fields };
}

function storeLocal(run: Run, place: MemoryPlace, value: Value, path: Path): void {
  requireEvery(run, place.form);
  const elements = place.base.elements!;
  if (variesInBlock(place.offset, path.mask)) {
    for (const [key, old] of elements) elements.set(key, without(old, value.taint | Taint.maybe));
    return;
  }
  const offset = firstActive(place.offset, path.mask);
  const old = elements.get(offset);
  const next = convert(run, value, place.type);
  const certain = old && !(place.taint & (Taint.chosen | uncertain));
  if (elements.size < mostElements) elements.set(offset, certain ? merge(run, old, next, path.mask) : next);
}
