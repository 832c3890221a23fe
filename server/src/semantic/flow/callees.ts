// What a call in host code does, by the body of its function where one is visible, else by the data of library
// functions. A function without a body may do anything.
import type { CallExpr, Expr, FunctionDecl, Stmt, TypeSyntax, VarDecl } from '../../syntax/ast';
import {
  type Fn,
  asksForStatus,
  categoryOf,
  endsProgram,
  isAllocator,
  isLibraryClock,
  isLibraryStatus,
  isPrinting,
  isSampleCheck,
  isValueFunction,
  familyOf,
  lastPart,
  type Program,
  calledName,
  calleeName,
  localsOf,
  oncePerFunction,
  onceWith,
  throws,
  some,
  walk,
  withoutCasts,
  type AnySyntax,
} from '../language';

/** The class of an object, as far as its declaration is plain. */
export function classOf(object: Expr, fn: Fn): string | undefined {
  if (object.kind === 'call') {
    const name = calleeName(object);
    return name !== undefined && fn.program.structs(name).length > 0 ? name : undefined;
  }
  if (object.kind === 'cast' && object.type.kind === 'named') return object.type.name;
  if (object.kind === 'unary' && object.op === '*') return classOf(object.operand, fn);
  if (object.kind === 'member' || object.kind === 'index') {
    const held = fn.typing.typeOf(object);
    const type = held?.kind === 'pointer' ? held.to : held;
    return type?.kind === 'struct' ? type.name : undefined;
  }
  if (object.kind !== 'name') return undefined;
  if (object.name === 'this') return fn.decl.className;
  const local = fn.local(object);
  const made = local?.variable?.type.kind === 'auto' ? local.variable.init : undefined;
  if (made) return classOf(made, fn);
  let type = declaredType(object, fn);
  if (type?.kind === 'pointer' || type?.kind === 'reference') type = type.to;
  return type?.kind === 'named' ? type.name : undefined;
}

export type Defined = FunctionDecl & { readonly body: Stmt };

/** The methods with bodies that a call of a member may run, overriding ones too; none where its class is unknown. */
export function methodsCalled({ callee }: CallExpr, fn: Fn): readonly Defined[] {
  if (callee.kind !== 'member') return [];
  const name = classOf(callee.object, fn);
  if (name === undefined) return [];
  return methodsNamed(fn.program, name, callee.field);
}

const methodsNamed = onceWith((program: Program, className: string, name: string) =>
  [...familyOf(program, className)]
    .flatMap((each) => program.methodsOf(each))
    .filter((decl): decl is Defined => decl.name === name && !!decl.body && !decl.global),
);

/** The functions of a name that have a body and are no kernels. */
export function definedAs(name: string, program: Program): readonly Defined[] {
  return program.functions(name).filter((fn): fn is Defined => !!fn.body && !fn.global);
}

/** The functions with bodies that a call may run. */
export function calleesOf(call: CallExpr, fn: Fn): readonly Defined[] {
  const name = calleeName(call);
  return name === undefined ? methodsCalled(call, fn) : definedAs(name, fn.program);
}

/** The other host functions that a call may run. */
export function definitionsOf(call: CallExpr, fn: Fn): readonly Defined[] {
  return calleesOf(call, fn).filter((decl) => decl !== fn.decl && !(decl.device && !decl.host));
}

/** A function and those that it may call. */
export function reachedFrom(fn: FunctionDecl, program: Program): readonly FunctionDecl[] {
  const reached = new Set([fn]);
  for (const each of reached)
    for (const node of localsOf(each).nodes)
      if (node.kind === 'call') for (const callee of definedAs(calledName(node) ?? '', program)) reached.add(callee);
  return [...reached];
}

/** Calls below a call are followed so far. */
const deepest = 3;

/** Does a function of this name read a clock: a library's, or one with such a call in its body? */
const isClock = onceWith((program: Program, name: string, depth: number): boolean => {
  const bodies = definedAs(name, program);
  if (bodies.length === 0) return isLibraryClock(name);
  const callsClock = (node: AnySyntax): boolean => {
    const called = node.kind === 'call' ? calledName(node) : undefined;
    return called !== undefined && isClock(program, called, depth + 1);
  };
  return depth < deepest && bodies.some(({ body }) => some(body, callsClock));
});

/** Reads a clock: by a call, or as an object whose constructor does. */
export function readsClock(node: AnySyntax, { program }: Fn): boolean {
  if (node.kind === 'call') {
    const name = calledName(node);
    return name !== undefined && isClock(program, name, 0);
  }
  if (node.kind !== 'var' || node.type.kind !== 'named') return false;
  const type = lastPart(node.type.name);
  return definedAs(type, program).length > 0 && isClock(program, type, 0);
}

/**
 * A call that checks a status and does nothing else: its body shows so, CUDA's samples bring it, or it is given nothing
 * but the results of runtime calls (`known` is false then: it may still touch what the rest of the program can reach).
 */
export function statusCheckOf(call: CallExpr, fn: Fn): { readonly known: boolean } | undefined {
  if (call.callee.kind !== 'name') return undefined;
  const name = calleeName(call);
  if (name === undefined || fn.local(call.callee)) return undefined;
  const declared = fn.program.functions(name);
  if (declared.some(({ body }) => body))
    return declared.every((decl) => !decl.body || onlyChecks(decl, fn)) && call.args.every((arg) => isStatus(arg, fn))
      ? { known: true }
      : undefined;
  if (categoryOf(name) !== undefined) return undefined;
  if (isSampleCheck(name)) return { known: true };
  const isGivenStatus = call.args.some((arg) => isCallOfRuntime(arg) || typeName(arg, fn) === 'cudaError_t');
  return isGivenStatus && call.args.every((arg) => isStatus(arg, fn)) ? { known: false } : undefined;
}

function isCallOfRuntime(arg: AnySyntax): boolean {
  return arg.kind === 'call' && categoryOf(calleeName(arg) ?? '') !== undefined;
}

/** What a check is given: results of runtime calls, numbers, strings, variables that lead to no memory. */
function isStatus(arg: Expr, fn: Fn): boolean {
  switch (arg.kind) {
    case 'binary':
      return isStatus(arg.left, fn) && isStatus(arg.right, fn);
    case 'assign':
      return arg.target.kind === 'name' && isStatus(arg.target, fn) && isStatus(arg.value, fn);
    case 'call':
      return isCallOfRuntime(arg);
    case 'name': {
      const type = declaredType(arg, fn);
      return type === undefined || type.kind === 'auto' || (type.kind === 'named' && leadsNowhere(type, fn));
    }
    default:
      return arg.kind === 'number' || arg.kind === 'string';
  }
}

function leadsNowhere(type: TypeSyntax, { types }: Fn): boolean {
  const { kind } = types.resolve(type);
  return kind === 'scalar' || (kind === 'unknown' && type.kind === 'named' && isLibraryStatus(type.name));
}

function typeName(arg: Expr, fn: Fn): string | undefined {
  const type = declaredType(arg, fn);
  return type?.kind === 'named' ? type.name : undefined;
}

export function declaredType(arg: Expr, { decl, program }: Fn): TypeSyntax | undefined {
  if (arg.kind !== 'name') return undefined;
  const local = localsOf(decl).of(arg);
  return (local ? (local.variable ?? local.parameter) : program.globals(lastPart(arg.name))[0])?.type;
}

/** Tests its arguments or the runtime's last error, prints, and leaves: reaches no memory of the program. */
export const onlyChecks = oncePerFunction((decl, fn: Fn): boolean => {
  const locals = localsOf(decl);
  let only = decl.params.every(({ type }) => type.kind !== 'reference' || ('const' in type.to && !!type.to.const));
  walk(decl.body, (node) => {
    switch (node.kind) {
      case 'for':
      case 'while':
      case 'do':
      case 'rangeFor':
      case 'launch':
      case 'lambda':
      case 'new':
      case 'delete':
      case 'asm':
      case 'try':
      case 'index':
        only = false;
        break;
      case 'opaque':
        // `throw`: what it makes of the message is read as well.
        only &&= throws(node);
        break;
      case 'assign':
        only &&= node.target.kind === 'name' && locals.of(node.target) !== undefined;
        break;
      case 'update':
        only &&= node.operand.kind === 'name' && locals.of(node.operand) !== undefined;
        break;
      case 'unary':
        only &&= node.op !== '*';
        break;
      case 'member':
        only &&= !node.arrow;
        break;
      case 'name':
        only &&=
          locals.of(node) !== undefined || fn.program.globals(lastPart(node.name)).every(({ constant }) => constant);
        break;
      case 'call': {
        const name = calledName(node) ?? '';
        only &&=
          asksForStatus(name) ||
          isPrinting(name) ||
          endsProgram(name) ||
          isValueFunction(name) ||
          categoryOf(name) === 'synchronise' ||
          fn.types.resolve({ kind: 'named', name }).kind !== 'unknown' ||
          isOfStandardLibrary(node);
        break;
      }
      default:
    }
    return only;
  });
  return only;
}, false);

/** `std::runtime_error(…)`, `message.c_str()`. */
function isOfStandardLibrary({ callee }: CallExpr): boolean {
  return callee.kind === 'name'
    ? callee.name.startsWith('std::')
    : callee.kind === 'member' && callee.field === 'c_str';
}

/**
 * A pointer to memory that only its function reaches: a variable that holds what an allocator gave, and that is handed
 * to nothing but the runtime.
 */
export function isPrivateMemory(name: string, fn: Fn): boolean {
  const local = fn.locals.all.find((one) => one.name === name);
  if (!local?.variable || local.variable.storage === 'static' || local.variable.type.kind !== 'pointer') return false;
  return (
    makersOf(local).every((maker) => maker !== undefined && isAllocator(maker)) &&
    local.uses.every((use) => {
      let at: AnySyntax = use;
      let around = fn.parent(use);
      while (
        around &&
        (around.kind === 'cast' || around.kind === 'binary' || (around.kind === 'unary' && around.op === '&'))
      ) {
        at = around;
        around = fn.parent(around);
      }
      if (around?.kind === 'call') return around.callee !== at && isLibraryCall(calleeName(around) ?? '');
      if (around?.kind === 'assign') return around.target === at;
      return (
        around?.kind !== 'var' && around?.kind !== 'return' && around?.kind !== 'initList' && around?.kind !== 'lambda'
      );
    })
  );
}

/** A variable or a field, with what it is set to. */
export interface Written {
  readonly variable?: Pick<VarDecl, 'type'> & Partial<VarDecl>;
  readonly writes: readonly { readonly value?: Expr | undefined }[];
}

/** By value that a variable gets, null aside: `new` or the function whose call it is; undefined for another value. */
export function makersOf({ variable, writes }: Written): readonly (string | undefined)[] {
  return [variable?.init, ...writes.map(({ value }) => value)].flatMap((value) => {
    const inner = value && withoutCasts(value);
    if (!inner || isNull(inner)) return [];
    return [inner.kind === 'new' ? inner.kind : inner.kind === 'call' ? calleeName(inner) : undefined];
  });
}

export function isNull(expr: Expr): boolean {
  if (expr.kind === 'initList') return expr.elements.every(isNull);
  if (expr.kind === 'cast') return isNull(expr.operand);
  return (expr.kind === 'number' && expr.value === 0) || (expr.kind === 'name' && /^(NULL|nullptr)$/.test(expr.name));
}

function isLibraryCall(name: string): boolean {
  return categoryOf(name) !== undefined || ['free', 'memset', 'memcpy', 'delete'].includes(name);
}

/** Names of the members that a method sees, of its bases included. */
export function membersOf({ className }: FunctionDecl, { program, types }: Fn): readonly string[] {
  const type = className === undefined ? undefined : types.resolve({ kind: 'named', name: className });
  if (type?.kind === 'struct') return [...type.fields.keys()];
  return program.structs(className ?? '').flatMap(({ fields }) => fields.map(({ name }) => name));
}

/** Whether a place that a function names is not one of its variables. */
export function isGlobalPlace(place: string, fn: Fn): boolean {
  const name = /^[^.[]*/.exec(place)![0];
  return !fn.locals.all.some((local) => local.name === name);
}
