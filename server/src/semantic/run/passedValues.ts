// Takes what a launch gives out of the run of the host that computed it, and into the run of the kernel.
import type { Node } from '../../syntax/ast';
import { modulo } from './lanes';
import { noBindings, typeName, type Type } from '../language';
import { alignmentPeriod } from './launchConfiguration';
import type { Captured, PassedValue, PassedLambda } from './passedValueShape';
import { fieldType } from './memory';
import { cellAt } from './snapshots';
import { baseNamed, unseen } from './state';
import { blank, Taint, type Cell, type Frame, type MemoryBase, type Place, type Run, type Value } from './values';

/** What the host's code does not settle. */
export const unsettledByHost =
  Taint.chosen | Taint.maybe | Taint.loaded | Taint.loadedUniform | Taint.hash | Taint.assumed;
/** Structures and lambdas within each other beyond this are not known. */
const deepest = 6;

export function passedOf(value: Value, depth = 0): PassedValue {
  const { type, lanes, taint, fields, lambda } = value;
  if (depth > deepest) return { type };
  if (lambda) return { type, lambda: passedLambda(lambda, depth) };
  if (fields) return { type, fields: new Map([...fields].map(([name, field]) => [name, passedOf(field, depth + 1)])) };
  if (type.kind === 'scalar' && typeof lanes === 'number' && !(taint & unsettledByHost)) return { type, number: lanes };
  const offset = offsetOf(value);
  if (offset === undefined) return { type };
  const bytes = taint & Taint.variable ? undefined : value.base?.bytes;
  const before = (lanes as number) - offset;
  return { type, offset, ...(bytes === undefined ? {} : { room: [-before, bytes - before] }) };
}

/** How far behind an aligned address a pointer starts (`data + 3`); undefined where that is unknown. */
function offsetOf({ type, base, lanes, form, taint }: Value): number | undefined {
  if (type.kind !== 'pointer' || !base || typeof lanes !== 'number' || !Number.isInteger(lanes)) return undefined;
  if (form?.length || taint & unsettledByHost) return undefined;
  return modulo(lanes, alignmentPeriod);
}

function passedLambda({ code, expr, frame }: NonNullable<Value['lambda']>, depth: number): PassedLambda {
  const captured: Captured[] = [];
  for (const [name, ref] of code.captured) {
    const cell = cellAt(frame, ref);
    if (!cell) continue;
    const value = valueAt(cell.ref ?? { kind: 'cell', cell, path: [], type: cell.type });
    const passed = value && cell.type.kind !== 'array' ? passedOf(value, depth + 1) : { type: cell.type };
    const { fn, node } = cell;
    captured.push({ name, ...ref, passed, ...(fn && node ? { declaration: { fn, uri: fn.uri, node } } : {}) });
  }
  const self = frame.self && valueAt(frame.self);
  const { fn, bindings = noBindings } = frame;
  return { expr, fn, bindings, captured, ...(self ? { self: passedOf(self, depth + 1) } : {}) };
}

/** What a place of the host holds, as far as it is a variable or a part of one. */
function valueAt(place: Place): Value | undefined {
  if (place.kind === 'memory') return undefined;
  if (place.kind === 'value') return place.value;
  return place.path.reduce<Value | undefined>((value, part) => value?.fields?.get(part), place.cell.value);
}

/** The same for what gives the same analysis. */
export function keyOfPassedValue({ type, number, offset, fields, lambda }: PassedValue): string {
  if (lambda) {
    const captured = lambda.captured.map(({ name, passed }) => `${name}=${keyOfPassedValue(passed)}`);
    return `${lambda.fn.uri} ${lambda.fn.key}@${lambda.expr.start}(${captured.join()})`;
  }
  if (fields) return `{${[...fields].map(([name, field]) => `${name}=${keyOfPassedValue(field)}`).join()}}`;
  return `${typeName(type)} ${number ?? offset ?? '?'}`;
}

/** The value of a parameter in the kernel's run. `taken` are the names in use, which no captured variable may share. */
export function valueFromPassed(
  run: Run,
  passed: PassedValue,
  key: string,
  taken: Set<string>,
  declaration?: MemoryBase['declaration'],
): Value {
  const { type, number, offset, fields, lambda } = passed;
  if (lambda) {
    const { asked, lambdas } = run.setup.compiler.codeOf(lambda.fn, lambda.bindings);
    run.functions.add(lambda.fn.key);
    for (const name of asked) run.asked.add(name);
    const frame = frameOf(run, lambda, taken);
    const code = lambdas.get(lambda.expr);
    return code ? { ...blank, type, lanes: 0, taint: 0, lambda: { code, expr: lambda.expr, frame } } : unknown(type);
  }
  if (fields) {
    const known = [...fields].map(([name, field]) => {
      const place = `${key}.${name}`;
      const declared = fieldType(type, name);
      // An array comes with the structure: it does not lie where a pointer of the host leads.
      const isPart = declared.kind === 'array';
      return [name, isPart ? unseen(run, declared, place, 0) : valueFromPassed(run, field, place, taken)] as const;
    });
    return { ...blank, type, lanes: 0, taint: Taint.chosen, key, fields: new Map(known) };
  }
  if (number !== undefined) return { ...blank, type, lanes: number, taint: 0, key };
  if (type.kind !== 'pointer') return unseen(run, type, key, Taint.chosen);
  const base = baseNamed(run, key, 'global', {
    type: type.to,
    ...(declaration ? { declaration, name: key.replace(/#.*/, '') } : {}),
    ...(type.restrict === undefined ? {} : { restrict: type.restrict }),
  });
  return { ...blank, type, lanes: offset ?? 0, taint: 0, base };
}

function unknown(type: Type): Value {
  return { ...blank, type, lanes: 0, taint: Taint.maybe };
}

/** The frame that a lambda was made in, with nothing but what it captures. */
function frameOf(run: Run, { fn, bindings, captured, self }: PassedLambda, taken: Set<string>): Frame {
  const frames: Frame[] = [];
  const base = { run, fn, bindings, depth: 0, conditionsBefore: 0 };
  const place = self && valueFromPassed(run, self, 'this', taken);
  const held = place ? { self: { kind: 'value', value: place, type: place.type } as const } : {};
  for (let hop = Math.max(0, ...captured.map(({ hops }) => hops)); hop >= 0; hop--) {
    const parent = frames[0];
    frames.unshift({ ...base, ...held, slots: [], ...(parent ? { parent } : {}) });
  }
  for (const { name, hops, slot, declaration, passed } of captured) {
    const key = taken.has(name) ? `${name}#${taken.size}` : name;
    taken.add(key);
    const value = valueFromPassed(run, passed, key, taken, declaration);
    const at = declaration?.fn ? { fn: declaration.fn, node: declaration.node as Node } : {};
    frames[hops]!.slots[slot] = { name, type: value.type, value, ...at } satisfies Cell;
  }
  return frames[0]!;
}
