// Where a function is called from, over all files of a unit.
import type { CallExpr, FunctionDecl, TranslationUnit } from '../../syntax/ast';
import { append, once } from './append';
import type { CallSite, FunctionContext } from './functionContext';
import { stepsOf } from '../../syntax/steps';
import { calleeName, localsOf } from './scope';

/** The calls of `fn` in device code, by name and number of arguments. */
export function collectCallSites(unit: TranslationUnit, fn: FunctionDecl): readonly CallSite[] {
  if (fn.global || !fn.device) return [];
  const sites = stepsOf(sitesOf(unit).get(fn.name) ?? []);
  return sites.filter((site) => site.args.length === fn.params.length && site.caller !== fn);
}

const sitesOf = once((unit: TranslationUnit): ReadonlyMap<string, readonly CallSite[]> => {
  const byName = new Map<string, CallSite[]>();
  for (const [caller, call] of callsIn(unit, (fn) => fn.global || fn.device)) {
    const name = calleeName(call);
    if (name) append(byName, name, { caller, args: call.args });
  }
  return byName;
});

function callsIn(unit: TranslationUnit, isAsked: (fn: FunctionDecl) => boolean): [FunctionDecl, CallExpr][] {
  const callers = unit.files.flatMap(({ functions }) => functions.filter((fn) => fn.body && isAsked(fn)));
  return callers.flatMap((caller) =>
    localsOf(caller).nodes.flatMap((node): [FunctionDecl, CallExpr][] =>
      node.kind === 'call' ? [[caller, node]] : [],
    ),
  );
}

const hostSource = /\.(c|cc|cpp|cxx|c\+\+)$/i;

/**
 * Is a function for both sides called by host code of the unit, and by no kernel? Then it never runs on the GPU. Nor
 * does one of a source that the host's compiler takes: one by whose name it is C++, and without a kernel.
 */
export function runsOnHostAlone({ fn, kernels, program }: FunctionContext): boolean {
  if (fn.global || !fn.host || kernels.length > 0 || collectCallSites(program.unit, fn).length > 0) return false;
  const { main, files } = program.unit;
  if (hostSource.test(main.uri) && !files.some(({ functions }) => functions.some(({ global }) => global))) return true;
  return hostCallsOf(program.unit).has(fn.name);
}

const hostCallsOf = once((unit: TranslationUnit): ReadonlySet<string | undefined> => {
  const calls = callsIn(unit, (fn) => !fn.global && !fn.device);
  return new Set(
    calls.map(([, call]) => calleeName(call) ?? (call.callee.kind === 'member' ? call.callee.field : undefined)),
  );
});
