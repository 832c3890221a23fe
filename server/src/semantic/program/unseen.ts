// What the tree of a function does not show of it: text that this build leaves out, defaults of parameters, methods
// that are called without being named, and threads that wait for each other.
import type { CallExpr, Expr, FunctionDecl } from '../../syntax/ast';
import { step } from '../steps';
import { type Fn, lastPart, type Program, ancestorsOf, calleeName, type Local, localsOf, once } from '../language';
import { isPureCall } from './effects';

/** What a lock is made of: lanes of one warp that wait for each other may wait for ever. */
export const ordering = /^atomic(CAS|Exch)|^__(threadfence|nanosleep)/;

const places = /\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g;
const apart = new RegExp(
  [
    String.raw`\b__(?:shared__|sync|barrier|shfl|ballot|any_|all_|activemask|match|reduce|cluster_)`,
    String.raw`\bthis_thread_block\b`,
  ].join('|'),
);
const namesThreadsIn = (code: string): boolean => code.search(places) >= 0 || apart.test(code);

/** A text without comments, strings and characters. */
export function codeOf(text: string): string {
  step(text.length >> 4);
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'\\?.'/g, ' ');
}

const codesOf = once((program: Program) =>
  once((fn: FunctionDecl) => codeOf(program.fileOf(fn)!.text.slice(fn.base + fn.start, fn.base + fn.end))),
);

/** The parts of a function's text that a build with other macros would compile. */
function leftOutOf(fn: FunctionDecl, program: Program): string[] {
  const [from, to] = [fn.base + fn.start, fn.base + fn.end];
  const { inactive, text } = program.fileOf(fn)!;
  const parts = inactive.filter(({ start, end }) => start < to && end > from);
  return parts.map(({ start, end }) => text.slice(Math.max(start, from), Math.min(end, to)));
}

/** Whether what this build leaves out of a function names threads or what they share. */
export const leftOutNamesThreads = (fn: FunctionDecl, program: Program): boolean =>
  leftOutOf(fn, program).map(codeOf).some(namesThreadsIn);

/** Whether a function names threads or what they share, wherever in its text. */
export function namesThreads(fn: FunctionDecl, program: Program): boolean {
  return namesThreadsIn(codesOf(program)(fn)) || leftOutOf(fn, program).length > 0;
}

const meeting = /\b__(sync|barrier|shfl|ballot|any|all|activemask|match|reduce|cluster_)|\b(sync|shfl|\w+_group\b)/;
/** May threads of a block or a warp meet in a function, from a place of its text on? */
export const mayMeet = (fn: FunctionDecl, program: Program, from: number): boolean =>
  meeting.test(codeOf(program.fileOf(fn)!.text.slice(fn.base + from, fn.base + fn.end)));

/** How often the text of a function names the places of its threads. */
export function placesNamed(fn: FunctionDecl, program: Program): number {
  return codesOf(program)(fn).match(places)?.length ?? 0;
}

/** Why a kernel may be more than its tree says; undefined where nothing speaks for it. */
export function unseenIn({ decl, program }: Fn): string | undefined {
  const code = codesOf(program)(decl);
  if (leftOutOf(decl, program).length > 0) return 'another build compiles a different text of the kernel';
  if (apart.test(code)) return 'it uses clusters or shared memory at file scope';
  // Constructors, destructors, conversions and operators are called where no one names them.
  for (const name of new Set(code.match(/[A-Za-z_]\w*/g)))
    if (program.methodsOf(name).some((method) => namesThreads(method, program)))
      return `\`${name}\` may use the thread index`;
  return undefined;
}

/** Memory of a block that is declared outside of functions. */
export function sharesGlobals(fn: FunctionDecl, program: Program): boolean {
  const locals = localsOf(fn);
  return locals.nodes.some(
    (node) =>
      node.kind === 'name' &&
      !locals.of(node) &&
      program.globals(node.name).some(({ space, volatile }) => space === 'shared' || volatile),
  );
}

const loops: ReadonlySet<string> = new Set(['for', 'while', 'do']);

/** Whether one thread may wait for another: by a value that is read again, or an atomic whose result is asked for. */
export function mayWait(fn: FunctionDecl, program: Program): boolean {
  const code = codesOf(program)(fn);
  if (/\bvolatile\b[^;{}]*[*&]/.test(code)) return true;
  const locals = localsOf(fn);
  const goesBack = /\bgoto\b/.test(code);
  return locals.nodes.some((node) => {
    if (node.kind !== 'call' || !/^atomic/.test(calleeName(node) ?? '')) return false;
    if (locals.parent(node)?.kind === 'expr') return false;
    return goesBack || [...ancestorsOf(node, locals)].some((around) => loops.has(around.kind));
  });
}

const ofDevices =
  /^(atomic\w+|v?printf|assert|malloc|free|mem(cpy|set)|curand\w*|tex\w+|surf\w+|clock(64)?|swap|cuda[A-Z]\w+|__\w+)$/;
const ofMathematics = new RegExp(
  [
    '^(sincos(pi)?|modf|frexp|ldexp|scalbn|logb|ilogb|nextafter|fmod|remquo|j[01n]|y[01n]|erfinv|normcdf|rhypot',
    String.raw`llrint|llround|h\w+)f?$`,
  ].join('|'),
);

/** Whether a call without a visible declaration is one that every compiler of CUDA knows. */
export function isKnownCall(call: CallExpr, fn: Fn): boolean {
  const { callee } = call;
  if (callee.kind !== 'name' || fn.local(callee)) return false;
  const name = lastPart(callee.name);
  return (
    isPureCall(call, fn) ||
    ofDevices.test(name) ||
    ofMathematics.test(name) ||
    callee.name.startsWith('std::') ||
    fn.types.resolve({ kind: 'named', name: callee.name }).kind !== 'unknown' ||
    !!fn.decl.templateParams?.some((param) => param.name === name)
  );
}

/** Whether the kernel's name stands outside of functions or among template arguments, where others may start it. */
export function isNamedElsewhere({ unit, decl }: Fn): boolean {
  const asValue = new RegExp(String.raw`[={(,&]\s*${decl.name}\s*[,;)}]`);
  const asArgument = new RegExp(String.raw`[<,]\s*&?\s*${decl.name}\s*(?:,[^;(){}<>]*)?>\s*\(`);
  return unit.files.some(({ text, functions }) => {
    if (!text.includes(decl.name) || !(asValue.test(codeOf(text)) || asArgument.test(codeOf(text)))) return false;
    let outside = '';
    let from = 0;
    for (const { base, body } of functions) {
      if (!body) continue;
      outside += text.slice(from, base + body.start);
      from = Math.max(from, base + body.end);
    }
    return asValue.test(codeOf(outside + text.slice(from))) || asArgument.test(codeOf(text));
  });
}

/** Whether a call takes a variable by a reference that it may write through. */
export function isHandedOn(local: Local, host: Fn): boolean {
  return handedOn(host).has(local);
}
const handedOn = once(({ program, locals }: Fn): ReadonlySet<Local> => {
  const isHanding = (use: Expr): boolean => {
    const call = locals.parent(use);
    if (call?.kind === 'binary') return call.op === '>>' && call.right === use;
    if (call?.kind !== 'call') return false;
    const position = call.args.indexOf(use);
    const types = program.functions(calleeName(call) ?? '').map(({ params }) => params[position]?.type);
    return types.some((type) => type?.kind === 'reference' && !('const' in type.to && type.to.const));
  };
  return new Set(locals.all.filter(({ uses }) => uses.some(isHanding)));
});
