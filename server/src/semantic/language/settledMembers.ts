// Members of classes that all of the unit's text gives one and the same constant.
import { append, once, oncePerBody, onceWith } from './append';
import type { Expr, FunctionDecl, TypeSyntax } from '../../syntax/ast';
import { constantOf } from './constants';
import { familyOf } from './families';
import { categoryOf, isPrinting, isValueFunction, takesByValue } from './libraryFunctions';
import { functionsWith, lastPart, onceEach, type Program } from './program';
import { walk, type AnySyntax } from './statements';
import type { StructType, TypeTable } from './types';

interface SettledMembers {
  /** The constant that a member has once it has been set; undefined where some text sets another, or none is known. */
  constantIn(type: StructType, field: string): number | undefined;
  /** The functions that answer `constantIn`, by their keys: where these stay, so do the values. */
  writersOf(type: string, field: string): string;
}

interface Write {
  /** Absent where a call, an address or an operation may set it to anything. */
  readonly value?: Expr;
  /** The type of the object as it is declared; undefined for the method's own object and where it is not plain. */
  readonly of?: string;
  readonly own: boolean;
  /** It is an argument of this function, which may take it by reference. */
  readonly handed?: { readonly to: string; readonly at: number };
}

/** What one function sets, and which classes it makes from values. */
interface Writes {
  readonly fields: ReadonlyMap<string, readonly Write[]>;
  readonly made: ReadonlySet<string>;
  /** Variables and parameters: a member's value that one of them is in is not constant. */
  readonly locals: ReadonlySet<string>;
}

export const settledMembers = onceWith((program: Program, types: TypeTable): SettledMembers => {
  let index: ReturnType<typeof indexOf> | undefined;
  const values = once((_: StructType) => new Map<string, number | undefined>());

  function find(type: StructType, field: string): number | undefined {
    const { decl } = type;
    const held = type.fields.get(field)?.type;
    if (!decl || held?.kind !== 'scalar') return undefined;
    const { writers, makers } = (index ??= indexOf(program));
    const family = familyOf(program, decl.name);
    const isOfFamily = (name: string | undefined): boolean => name !== undefined && family.has(lastPart(name));
    const hasConstructor = decl.methods.some(({ name }) => name === decl.name);
    // An aggregate takes its members' values in their order.
    if (!hasConstructor && makers(decl.name).length > 0) return undefined;
    let found: number | undefined;
    const agrees = (value: number | undefined): boolean => {
      if (value === undefined || (found !== undefined && found !== value)) return false;
      found = value;
      return true;
    };
    const constant = (expr: Expr, locals: ReadonlySet<string>): number | undefined => {
      let plain = true;
      const siblings = new Map<string, number>();
      walk(expr, (node) => {
        const name = node.kind === 'name' ? node.name : isOwn(node) ? node.field : undefined;
        if (name === undefined || name === 'this') return;
        if (locals.has(name) && node.kind === 'name') plain = false;
        else if (type.fields.has(name)) {
          const other = constantIn(type, name);
          if (other === undefined) plain = false;
          else siblings.set(name, other);
        }
      });
      const value = plain
        ? constantOf(bare(expr), program, types, type.bindings, decl.qualifiedName, siblings)
        : undefined;
      return value === undefined || held.float ? value : Math.trunc(value);
    };
    for (const name of family)
      for (const each of program.structs(name)) {
        const init = each.fields.find((one) => one.name === field && !one.static)?.init;
        if (init && !agrees(constant(init, new Set()))) return undefined;
      }
    for (const { fn, writes } of writers(field))
      for (const write of writes.fields.get(field)!) {
        if (write.own ? !isOfFamily(fn.className) : write.of !== undefined && !isOfFamily(write.of)) continue;
        if (write.handed && !mayTakeReference(write.handed, program)) continue;
        if (!agrees(write.value && constant(write.value, writes.locals))) return undefined;
      }
    return found;
  }

  function constantIn(type: StructType, field: string): number | undefined {
    const known = values(type);
    if (!known.has(field)) {
      // A member that is set to what depends on itself has no constant.
      known.set(field, undefined);
      known.set(field, find(type, field));
    }
    return known.get(field);
  }

  return {
    constantIn,
    writersOf(type, field) {
      const { writers, makers } = (index ??= indexOf(program));
      const keys = [...makers(type)];
      const family = [...familyOf(program, type)].flatMap(program.structs);
      const fields = new Set(family.flatMap((decl) => decl.fields.map(({ name }) => name)));
      const seen = new Set([field]);
      for (const name of seen)
        for (const { fn, writes } of writers(name)) {
          keys.push(fn.key);
          for (const { value, handed } of writes.fields.get(name)!) {
            if (handed) for (const callee of program.functions(lastPart(handed.to))) keys.push(callee.key);
            // A member may be set to another one.
            walk(value, (node) => {
              const other = node.kind === 'name' ? node.name : node.kind === 'member' ? node.field : undefined;
              if (other !== undefined && fields.has(other)) seen.add(other);
            });
          }
        }
      return keys.join();
    },
  };
});

/** May the function change what it is given here? One without a declaration may, unless it is a library's. */
function mayTakeReference({ to, at }: NonNullable<Write['handed']>, program: Program): boolean {
  const name = lastPart(to);
  const callees = program.functions(name);
  if (callees.length > 0)
    return callees.some(({ params }) => {
      const type = (params[at] ?? params.at(-1))?.type;
      return type?.kind === 'reference' && !('const' in type.to && type.to.const);
    });
  const isOfLibrary =
    (to.startsWith('std::') && !/^(swap|exchange|tie|ref|forward|move)$/.test(name)) ||
    takesByValue(name) ||
    isPrinting(name) ||
    isValueFunction(name) ||
    categoryOf(name) !== undefined;
  return !isOfLibrary && name !== 'dim3' && program.structs(name).length + program.aliases(name).length === 0;
}

interface Writer {
  readonly fn: FunctionDecl;
  readonly writes: Writes;
}

/** The functions of a unit that set a member of a name, and those that make objects of a class. */
function indexOf({ unit }: Program): {
  readonly writers: (field: string) => readonly Writer[];
  readonly makers: (name: string) => readonly string[];
} {
  const writing = (word: string): readonly Writer[] =>
    functionsWith(unit, [lastPart(word)])
      .filter((fn) => fn.body && !fn.global && fn.host)
      .map((fn) => ({ fn, writes: writesOf(fn) }));
  return {
    writers: onceEach((field) => writing(field).filter(({ writes }) => writes.fields.has(field))),
    makers: onceEach((name) => writing(name).flatMap(({ fn, writes }) => (writes.made.has(name) ? fn.key : []))),
  };
}

type MemberOf = Extract<Expr, { readonly kind: 'member' }>;
function isOwn(node: AnySyntax): node is MemberOf {
  return node.kind === 'member' && node.object.kind === 'name' && node.object.name === 'this';
}

/** `this->n` as `n`. */
function bare(expr: Expr): Expr {
  switch (expr.kind) {
    case 'member':
      return isOwn(expr) ? { kind: 'name', name: expr.field, start: expr.start, end: expr.end } : expr;
    case 'binary':
      return { ...expr, left: bare(expr.left), right: bare(expr.right) };
    case 'unary':
    case 'cast':
      return { ...expr, operand: bare(expr.operand) };
    case 'initList':
      return { ...expr, elements: expr.elements.map(bare) };
    case 'conditional':
      return { ...expr, cond: bare(expr.cond), then: bare(expr.then), else: bare(expr.else) };
    case 'assign':
      return expr.op === '=' ? bare(expr.value) : expr;
    default:
      return expr;
  }
}

function namedType(type: TypeSyntax): string | undefined {
  if (type.kind === 'pointer' || type.kind === 'reference') return namedType(type.to);
  return type.kind === 'named' ? type.name : undefined;
}

const writesOf = oncePerBody((fn): Writes => {
  const declared = new Map<string, TypeSyntax | undefined>();
  const declare = (name: string, type: TypeSyntax): void => {
    // Of two variables of one name it is unknown which is meant.
    declared.set(name, declared.has(name) ? undefined : type);
  };
  for (const { name, type } of fn.params) declare(name, type);
  walk(fn.body, (node) => {
    if (node.kind === 'var') declare(node.name, node.type);
    if (node.kind === 'lambda') for (const { name, type } of node.params) declare(name, type);
  });
  const fields = new Map<string, Write[]>();
  const made = new Set<string>();
  const set = (target: Expr, value?: Expr, handed?: Write['handed']): void => {
    const isBare = target.kind === 'name';
    if (isBare && (declared.has(target.name) || fn.className === undefined)) return;
    if (!isBare && target.kind !== 'member') return;
    const name = lastPart(isBare ? target.name : target.field);
    const own = isBare || isOwn(target);
    const object = own ? undefined : (target as MemberOf).object;
    const type = object?.kind === 'name' ? declared.get(object.name) : undefined;
    const of = type && namedType(type);
    const write = {
      own,
      ...(value ? { value } : {}),
      ...(of === undefined ? {} : { of }),
      ...(handed ? { handed } : {}),
    };
    append(fields, name, write);
  };
  walk(fn.body, (node) => {
    switch (node.kind) {
      case 'assign':
        set(node.target, node.op === '=' ? node.value : undefined);
        break;
      case 'update':
        set(node.operand);
        break;
      case 'unary':
        if (node.op === '&') set(node.operand);
        break;
      case 'binary':
        // `stream >> n`
        if (node.op === '>>') set(node.right);
        break;
      case 'call': {
        const { callee, args } = node;
        const name = callee.kind === 'name' ? callee.name : callee.kind === 'member' ? callee.field : undefined;
        args.forEach((arg, at) => set(arg, undefined, name === undefined ? undefined : { to: name, at }));
        if (name !== undefined && args.length > 0) made.add(lastPart(name));
        break;
      }
      case 'new':
        if (node.type.kind === 'named' && node.args?.length) made.add(lastPart(node.type.name));
        break;
      case 'var': {
        const { init, type } = node;
        if (init && type.kind === 'reference' && !('const' in type.to && type.to.const)) set(init);
        const name = namedType(type);
        if (init && name !== undefined && !(init.kind === 'initList' && init.elements.length === 0))
          made.add(lastPart(name));
        break;
      }
      default:
    }
  });
  return { fields, made, locals: new Set(declared.keys()) };
});
