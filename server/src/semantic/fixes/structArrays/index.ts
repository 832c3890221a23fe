// Arrays of structures as structures of arrays: on the GPU each field gets a separate array, and the host's
// structures stay as they are, parted when they are copied there and put together when they come back.
import { excerpt, titleWith } from '../../excerpt';
import type { Expr, FieldDecl, StructDecl } from '../../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../../model';
import { onceWith, type Fn, type Local, type AnySyntax, isStable, type typingOf, withoutCasts } from '../../language';
import type { AccessFamily } from '../writing/family';
import { hasComment } from '../writing/edits';
import { isMadeOf } from '../hostArrays';
import { type ArrayGroup, groupOf, type HostArray, isPointerTo, refused } from './group';
import { linesFor, namesFor, type Names } from './declarations';
import { hasMacro, isPure, rootOf } from '../../program';

export const structArrays: AccessFamily<'struct-arrays'> = {
  id: 'struct-arrays',
  on: 'access',
  causes: ['struct-field'],
  when: ({ expr, elsewhere }) => !!expr && !elsewhere,
  find: ({ fn, expr, launchedElsewhere }) => structArraysOf(fn, expr!, launchedElsewhere),
};

type Found = RewriteFact | Refusal | undefined;
/**
 * The edits of kernels, host functions and a declaration that lay the fields of the array that `access` reaches side by
 * side; undefined where it is not a parameter's. `elsewhere` says which kernels other files launch.
 */
export function structArraysOf(fn: Fn, access: Expr, elsewhere: (kernel: string) => boolean): Found {
  const root = rootOf(access, fn.locals);
  if (typeof root !== 'object') return undefined;
  return ofArray(fn, root, elsewhere);
}

const ofArray = onceWith((fn: Fn, root: Local, elsewhere: (kernel: string) => boolean): Found => {
  const pointer = root.parameter?.type;
  if (pointer?.kind !== 'pointer') return undefined;
  const struct = fn.types.resolve(pointer.to);
  if (struct.kind !== 'struct' || struct.vector || !struct.decl || pointer.to.kind !== 'named') return undefined;
  const { decl } = struct;
  if (!isPlain(decl, fn)) return refused('structure', 'its type has more than fields of plain types');
  const group = groupOf(fn, root, decl, elsewhere);
  if ('why' in group) return group;
  const contexts = [...group.kernels, ...group.hosts].map((array) => array.fn);
  if (contexts.some(({ file }) => file !== fn.file)) return refused('sight', 'other files contain a part of it');
  if (contexts.some((other) => other.decl.externC || scopeOf(other.decl) !== scopeOf(fn.decl)))
    return refused('sight', 'its functions are in several namespaces, or have C linkage');
  const names = namesFor(pointer.to.name, fn);
  const edits: Edit[] = [];
  for (const { fn: kernel, local, uses } of group.kernels) {
    const param = local.parameter!;
    if (kernel.text(param).includes('(') || !kernel.text(param).endsWith(local.name))
      return refused('macros', 'a parameter comes from a macro');
    edits.push({ at: kernel.span(param), newText: `${names.fields} ${local.name}` });
    for (const { name, index, member } of uses) {
      const behind = { start: name.end, end: name.end };
      edits.push({ at: kernel.span(behind), newText: `.${member.field}` });
      edits.push({ at: kernel.span({ start: index.end, end: member.end }), newText: '' });
    }
  }
  const statements = new Set<AnySyntax>();
  for (const host of group.hosts) {
    const declared = declarationEdit(host, group, decl, names, statements);
    if (declared && 'why' in declared) return declared;
    if (declared) edits.push(declared);
    for (const { kind, call } of host.calls) {
      const edit = callEdit(host, kind, call.call, decl, names);
      if ('why' in edit) return edit;
      edits.push(edit);
    }
  }
  const arrays = [...new Set(group.hosts.map(({ local }) => `\`${local.name}\``))].join(', ');
  const kinds = new Set(group.hosts.flatMap(({ calls }) => calls.map(({ kind }) => kind)));
  edits.push(declarationOf(decl, names, kinds, contexts));
  return {
    edits,
    title: titleWith(names.whole, (name) => `One array per field of \`${name}\` on the GPU (${excerpt(arrays, 20)})`),
  };
});

function scopeOf({ qualifiedName, name }: Fn['decl']): string {
  return qualifiedName.slice(0, qualifiedName.length - name.length);
}

/** Fields that are copied by assignment and have no members or constructors. */
function isPlain(decl: StructDecl, fn: Fn): boolean {
  const isData = decl.kind === 'struct' && decl.bases.length + decl.methods.length + decl.structs.length === 0;
  if (!isData || decl.templateParams || decl.specialisedFor || decl.packed || decl.fields.length < 2) return false;
  return decl.fields.every((field) => isPlainField(field, fn));
}

function isPlainField({ type, bits, init, align, static: shared }: FieldDecl, fn: Fn): boolean {
  if (type.kind !== 'named' || type.const || type.volatile || bits !== undefined || init || align || shared)
    return false;
  const resolved = fn.types.resolve(type);
  return resolved.kind === 'scalar' || (resolved.kind === 'struct' && !!resolved.vector);
}

/** `Body *bodies;` with all that it declares: every one of them has to be an array of the group. */
function declarationEdit(
  { fn, local }: HostArray,
  group: ArrayGroup,
  decl: StructDecl,
  names: Names,
  done: Set<AnySyntax>,
): Edit | Refusal | undefined {
  const statement = fn.parent(local.variable!);
  if (statement?.kind !== 'decl' || statement.macro || hasMacro(statement) || hasComment(fn, statement))
    return refused('host', `\`${local.name}\` is declared in a way that cannot be analysed`);
  if (done.has(statement)) return undefined;
  done.add(statement);
  const grouped = new Set(group.hosts.map((host) => host.local.variable));
  const others = statement.vars.filter((variable) => !grouped.has(variable));
  // Other arrays of the structure stay what they are.
  const isPlainPointer = ({ type, init }: (typeof others)[number]): boolean =>
    !init && isPointerTo(decl, type, fn) && type.kind === 'pointer' && type.to.kind === 'named' && !type.to.const;
  if (!others.every(isPlainPointer))
    return refused('host', `\`${local.name}\` is declared together with another variable`);
  const all = statement.vars.filter((variable) => grouped.has(variable)).map(({ name }) => name);
  const kept = others.map(({ name }) => `*${name}`).join(', ');
  const newText = [`${names.fields} ${all.join(', ')};`, ...(kept ? [`${names.whole} ${kept};`] : [])].join(' ');
  return { at: fn.span(statement), newText };
}

function callEdit(
  { fn, local }: HostArray,
  kind: HostArray['calls'][number]['kind'],
  call: Extract<Expr, { kind: 'call' }>,
  decl: StructDecl,
  names: Names,
): Edit | Refusal {
  const at = fn.span(call);
  if (kind === 'free') return { at, newText: `${names.free}(${local.name})` };
  const count = countOf(call.args[kind === 'make' ? 1 : 2]!, decl, fn);
  if (count === undefined) return refused('copies', 'the number of elements copied or allocated is not a product');
  if (kind === 'make') return { at, newText: `${names.allocate}(${local.name}, ${count})` };
  const other = call.args[kind === 'fill' ? 1 : 0]!;
  if (!isHostArray(other, decl, fn)) return refused('copies', 'the host does not copy an array of the structure');
  const host = fn.text(withoutCasts(other)).trim();
  return {
    at,
    newText:
      kind === 'fill'
        ? `${names.copyTo}(${local.name}, ${host}, ${count})`
        : `${names.copyFrom}(${host}, ${local.name}, ${count})`,
  };
}

/** A pointer to structures of the host as an expression that may be written elsewhere in the call. */
function isHostArray(passed: Expr, decl: StructDecl, fn: Fn): boolean {
  const expr = withoutCasts(passed);
  const isIt = (type: ReturnType<ReturnType<typeof typingOf>['typeOf']>): boolean =>
    type?.kind === 'struct' && type.decl === decl;
  if (hasMacro(expr)) return false;
  if (expr.kind === 'call') {
    const { callee } = expr;
    if (callee.kind !== 'member' || callee.field !== 'data' || callee.object.kind !== 'name') return false;
    const type = fn.local(callee.object)?.variable?.type;
    const element = type?.kind === 'named' && /^(std::)?vector$/.test(type.name) ? type.args?.[0] : undefined;
    return !!element && 'type' in element && isIt(fn.types.resolve(element.type));
  }
  if (!isPure(expr, fn)) return false;
  const type = fn.typing.typeOf(expr);
  return (type?.kind === 'pointer' && isIt(type.to)) || (type?.kind === 'array' && isIt(type.of));
}

/** `n` of `n * sizeof(S)`, also where a variable that nothing changes holds the product. */
function countOf(bytes: Expr, decl: StructDecl, fn: Fn, depth = 0): string | undefined {
  if (bytes.kind === 'name' && depth < 3) {
    const local = fn.local(bytes);
    const definition = local && isStable(local) ? fn.definition(local) : undefined;
    const count =
      definition && isMadeOf(definition, fn, isStable) ? countOf(definition, decl, fn, depth + 1) : undefined;
    return count;
  }
  if ((bytes.macro !== undefined && bytes.kind !== 'number') || !isPure(bytes, fn)) return undefined;
  const factors = factorsOf(bytes);
  const isSize = (factor: Expr): boolean => factor.kind === 'sizeof' && isSizeOf(factor, decl, fn);
  const sizes = factors.filter(isSize);
  if (sizes.length !== 1) return undefined;
  const counts = factors.filter((factor) => !isSize(factor));
  if (counts.length === 0) return '1';
  const texts = counts.map((factor) => fn.text(factor).trim());
  if (counts.length === 1) return texts[0];
  // A product of two whole numbers may be more than they hold, and with the size of a structure it was not.
  return ['sizeof(char)', ...texts.map((text) => (/^[\w.]+$/.test(text) ? text : `(${text})`))].join(' * ');
}

function factorsOf(expr: Expr): Expr[] {
  return expr.kind === 'binary' && expr.op === '*' ? [...factorsOf(expr.left), ...factorsOf(expr.right)] : [expr];
}

function isSizeOf(expr: Extract<Expr, { kind: 'sizeof' }>, decl: StructDecl, fn: Fn): boolean {
  if (expr.alignof) return false;
  const type = expr.type ? fn.types.resolve(expr.type) : expr.operand && fn.typing.typeOf(expr.operand);
  return type?.kind === 'struct' && type.decl === decl;
}

/** The declarations, before the first function that is about the array. */
function declarationOf(
  decl: StructDecl,
  names: Names,
  kinds: ReadonlySet<HostArray['calls'][number]['kind']>,
  contexts: readonly Fn[],
): Edit {
  const first = contexts.reduce((a, b) => (b.decl.base + b.decl.start < a.decl.base + a.decl.start ? b : a));
  const { text, uri } = first.file;
  const offset = first.decl.base + first.decl.start;
  let at = text.lastIndexOf('\n', offset - 1) + 1;
  // A comment right before the function is the function's.
  for (let before = lineBefore(text, at); before && isComment(before.text); before = lineBefore(text, at))
    at = before.at;
  const typeOf = (field: FieldDecl): string => (field.type.kind === 'named' ? field.type.name : '');
  const fields = decl.fields.map((field) => ({ name: field.name, type: typeOf(field) }));
  const newText = linesFor(fields, names, kinds)
    .map((line) => line.replace(/^ {2}/, first.indentStep) + first.newline)
    .join('');
  return { at: { uri, start: at, end: at }, newText };
}

function lineBefore(text: string, at: number): { readonly at: number; readonly text: string } | undefined {
  if (at === 0) return undefined;
  const start = text.lastIndexOf('\n', at - 2) + 1;
  return { at: start, text: text.slice(start, at) };
}

/** A line that is comment alone, or the middle or end of a long one. */
function isComment(line: string): boolean {
  return /^\s*(\/\/|\/\*.*\*\/\s*$)/.test(line);
}
