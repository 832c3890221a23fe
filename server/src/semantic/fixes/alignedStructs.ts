// Structures of 4, 8 or 16 bytes that move in several instructions because their alignment is less than their size:
// aligned to it, they move in one, and nothing else about them changes.
import type { StructDecl } from '../../syntax/ast';
import { titleWith } from '../excerpt';
import type { Refusal, RewriteFact } from '../model';
import { lastPart, declarationsWith, functionsWith, type Fn, calleeName, localsOf, type Type } from '../language';
import type { AccessFamily } from './writing/family';
import { refuser } from './writing/refusals';

const refused = refuser<'declaration' | 'members' | 'size' | 'twin' | 'held' | 'casts'>('aligned-structs');

export const alignedStructs: AccessFamily<'aligned-structs'> = {
  id: 'aligned-structs',
  on: 'access',
  causes: ['vector-type'],
  find: ({ fn, record }) => alignedStructOf(fn, record.type),
};

/** Bytes that one instruction moves at most. */
const widest = 16;

/** What gives memory at multiples of 16 bytes at least. */
const allocations = /^(malloc|calloc|realloc|aligned_alloc|_mm_malloc|raw_pointer_cast)$/;

/**
 * The edit of the declaration of what an access moves; undefined for anything but a structure, and for the vector types
 * of CUDA that are one instruction.
 */
export function alignedStructOf(fn: Fn, type: Type): RewriteFact | Refusal | undefined {
  if (type.kind !== 'struct') return undefined;
  const { decl, size, align } = type;
  if (!type.guessed && size > widest)
    return refused('size', `an instruction moves at most ${widest} of its ${size} bytes`);
  if (!type.guessed && (size & (size - 1)) !== 0) {
    const whole = 2 ** Math.ceil(Math.log2(size));
    return refused('size', `elements of ${size} bytes need another layout: ${whole} bytes each, or an array per field`);
  }
  if (type.vector || !decl) return undefined;
  const uri = fn.program.uriOf(decl);
  const file = fn.unit.files.find((each) => each.uri === uri && each.structs.includes(decl));
  const head = file && /^struct\b/.exec(file.text.slice(decl.start));
  if (!file || !head || decl.align || decl.packed || decl.templateParams || decl.specialisedFor)
    return refused('declaration', 'its type is not a plain structure of a known file');
  const isPlain = decl.bases.length === 0 && decl.methods.length === 0 && decl.structs.length === 0;
  if (type.guessed || !isPlain || decl.fields.some((field) => field.static || field.type.kind !== 'named'))
    return refused('members', 'its type has more than fields of plain types');
  if (size < 4 || align >= size) return refused('size', 'its type is already aligned to its size');
  const fieldsOf = ({ fields }: typeof decl): string =>
    fields.map(({ name, type: of }) => `${of.kind === 'named' ? of.name : of.kind} ${name}`).join();
  if (file.structs.some((other) => other.align && fieldsOf(other) === fieldsOf(decl)))
    return refused('twin', 'its file has the aligned form of it, too');
  const isIt = (name: string): boolean => {
    const other = fn.types.resolve({ kind: 'named', name });
    return other.kind === 'struct' && other.decl === decl;
  };
  // In another structure it would be pushed to another offset.
  const names = namesOf(decl, fn);
  for (const { structs } of declarationsWith(fn.unit, names))
    for (const { fields } of structs)
      for (const field of fields) {
        let of = field.type;
        while (of.kind === 'array') of = of.of;
        if (of.kind === 'named' && isIt(of.name)) return refused('held', 'other structures contain its type');
      }
  for (const user of functionsWith(fn.unit, names))
    for (const node of localsOf(user).nodes) {
      if (node.kind !== 'cast' || node.type.kind !== 'pointer' || node.type.to.kind !== 'named') continue;
      if (!isIt(node.type.to.name)) continue;
      const allocator = node.operand.kind === 'call' ? calleeName(node.operand) : undefined;
      if (!allocator || !allocations.test(allocator))
        return refused('casts', 'other memory, of unknown alignment, is cast to its type');
    }
  const at = decl.start + head[0].length;
  return {
    edits: [{ at: { uri: file.uri, start: at, end: at }, newText: ` alignas(${size})` }],
    title: titleWith(decl.name, (name) => `Align \`${name}\` to ${size} bytes (all code must see it)`),
  };
}

/** The names that stand for a class: its own, and those of aliases of these. */
function namesOf(decl: StructDecl, { unit }: Fn): ReadonlySet<string> {
  const names = new Set([lastPart(decl.name)]);
  // A set goes over what is added to it on the way, too.
  for (const name of names)
    for (const { aliases, structs } of declarationsWith(unit, [name]))
      for (const alias of [...aliases, ...structs.flatMap((each) => each.aliases)])
        if (alias.type.kind === 'named' && lastPart(alias.type.name) === name) names.add(lastPart(alias.name));
  return names;
}
