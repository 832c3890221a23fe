// Where a function is called from, over all files of a unit.
import type { FunctionDecl, TranslationUnit } from '../../syntax/ast';
import type { CallSite, FunctionContext } from './functionContext';
import { calleeName, localsOf } from './scope';

const sitesByUnit = new WeakMap<TranslationUnit, Map<string, CallSite[]>>();

/** The calls of `fn` in device code, by name and number of arguments. */
export function collectCallSites(unit: TranslationUnit, fn: FunctionDecl): readonly CallSite[] {
  if (fn.global || !fn.device) return [];
  let byName = sitesByUnit.get(unit);
  if (!byName) {
    byName = new Map();
    sitesByUnit.set(unit, byName);
    for (const file of unit.files)
      for (const caller of file.functions) {
        if (!caller.body || !(caller.global || caller.device)) continue;
        for (const node of localsOf(caller).nodes) {
          if (node.kind !== 'call') continue;
          const name = calleeName(node);
          if (!name) continue;
          const list = byName.get(name);
          const site = { caller, args: node.args };
          if (list) list.push(site);
          else byName.set(name, [site]);
        }
      }
  }
  return (byName.get(fn.name) ?? []).filter((site) => site.args.length === fn.params.length && site.caller !== fn);
}

const hostCallsByUnit = new WeakMap<TranslationUnit, ReadonlySet<string>>();

const hostSource = /\.(c|cc|cpp|cxx|c\+\+)$/i;

/**
 * Is a function for both sides called by host code of the unit, and by no kernel? Then it never runs on the GPU. Nor
 * does one of a source that the host's compiler takes: one by whose name it is C++, and without a kernel.
 */
export function runsOnHostAlone({ fn, kernels, program }: FunctionContext): boolean {
  if (fn.global || !fn.host || kernels.length > 0 || collectCallSites(program.unit, fn).length > 0) return false;
  const { main, files } = program.unit;
  if (hostSource.test(main.uri) && !files.some(({ functions }) => functions.some(({ global }) => global))) return true;
  let names = hostCallsByUnit.get(program.unit);
  if (!names) {
    const found = new Set<string>();
    for (const file of program.unit.files)
      for (const caller of file.functions) {
        if (!caller.body || caller.global || caller.device) continue;
        for (const node of localsOf(caller).nodes) {
          if (node.kind !== 'call') continue;
          const name = calleeName(node) ?? (node.callee.kind === 'member' ? node.callee.field : undefined);
          if (name) found.add(name);
        }
      }
    hostCallsByUnit.set(program.unit, (names = found));
  }
  return names.has(fn.name);
}
