// Where a function is called from, over all files of a unit.
import type { CallExpr, FunctionDecl, TranslationUnit } from '../../syntax/ast';
import { append, once, oncePerBody } from './append';
import type { CallSite, Fn } from './fn';
import { functionsWith, lastPart, onceEach } from './program';
import { stepsOf } from '../steps';
import { calleeName, localsOf } from './scope';

/** The calls of `fn` in device code, by name and number of arguments. */
export function collectCallSites(unit: TranslationUnit, fn: FunctionDecl): readonly CallSite[] {
  if (fn.global || !fn.device) return [];
  return stepsOf(sitesOf(unit)(fn.name)).filter((site) => site.args.length === fn.params.length && site.caller !== fn);
}

const sitesOf = once((unit: TranslationUnit) =>
  onceEach((name): readonly CallSite[] =>
    callersOf(unit, name)
      .filter((caller) => caller.global || caller.device)
      .flatMap((caller) => (callsIn(caller).get(name) ?? []).map(({ args }) => ({ caller, args }))),
  ),
);

const callsIn = oncePerBody((caller): ReadonlyMap<string, readonly CallExpr[]> => {
  const byName = new Map<string, CallExpr[]>();
  for (const node of localsOf(caller).nodes) if (node.kind === 'call') append(byName, calleeName(node) ?? '', node);
  return byName;
});

/** The functions with bodies that may call a name. */
function callersOf(unit: TranslationUnit, name: string): readonly FunctionDecl[] {
  return functionsWith(unit, [lastPart(name)]).filter(({ body }) => body);
}

const hostSource = /\.(c|cc|cpp|cxx|c\+\+)$/i;

/**
 * Is a function for both sides called by host code of the unit, and by no kernel? Then it never runs on the GPU. Nor
 * does one of a source that the host's compiler takes: one by whose name it is C++, and without a kernel.
 */
export function runsOnHostAlone({ decl, kernels, program }: Fn): boolean {
  if (decl.global || !decl.host || kernels.length > 0 || collectCallSites(program.unit, decl).length > 0) return false;
  const { unit } = program;
  if (hostSource.test(unit.main.uri) && !functionsWith(unit, ['__global__']).some(({ global }) => global)) return true;
  return isCalledByHost(unit)(decl.name);
}

const isCalledByHost = once((unit: TranslationUnit) =>
  onceEach((name) =>
    callersOf(unit, name)
      .filter((caller) => !caller.global && !caller.device)
      .flatMap((caller) => localsOf(caller).nodes)
      .some(
        (node) =>
          node.kind === 'call' &&
          (calleeName(node) ?? (node.callee.kind === 'member' ? node.callee.field : undefined)) === name,
      ),
  ),
);
