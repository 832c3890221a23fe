// Where a device function is called from, over all files of a unit.
import type { FunctionDecl, TranslationUnit } from '../../syntax/ast';
import type { CallSite } from './functionContext';
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
