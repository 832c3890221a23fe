// The elements that a list gives to an array whose elements are followed.
import { convert } from './conversions';
import type { Expr } from '../../syntax/ast';
import { sizeOf, type Type } from '../language';
import type { Scope } from './scope';
import { plain, type Frame, type MemoryBase, type Path, type Value } from './values';

type Fill = (base: MemoryBase, path: Path, frame: Frame) => void;
const mostInitialised = 4096;

/** What a list gives to the elements of an array. */
export function compileFill(
  scope: Scope,
  type: Type & { kind: 'array' },
  offset: number,
  init: Expr & { kind: 'initList' },
): Fill | undefined {
  const size = sizeOf(type.of);
  if (size === undefined) return undefined;
  const { of } = type;
  const parts = init.elements.slice(0, mostInitialised).map((element, at): Fill | undefined => {
    const place = offset + at * size;
    if (of.kind === 'array' && element.kind === 'initList') return compileFill(scope, of, place, element);
    const code = scope.expr(element, of);
    return (base, path, frame) => base.elements!.set(place, convert(frame.run, code(path, frame), of));
  });
  const zero: Value = plain(of, 0, 0);
  const rest = Math.min(type.length ?? 0, mostInitialised);
  const empty = Array.from({ length: Math.max(0, of.kind === 'array' ? rest - parts.length : 0) }, (_, at) =>
    compileFill(scope, of as typeof type, offset + (parts.length + at) * size, { ...init, elements: [] }),
  );
  return (base, path, frame) => {
    for (const part of [...parts, ...(frame.run.setup.contents ? empty : [])]) part?.(base, path, frame);
    for (let at = parts.length; of.kind !== 'array' && at < rest; at++) base.elements!.set(offset + at * size, zero);
  };
}
