// Every kernel launch that the text of a unit makes, with the function it stands in and the kernel it starts.
import type { FunctionDecl, LaunchExpr, TranslationUnit } from '../../syntax/ast';
import { lastPart } from './program';
import { createFunctionContext, type FunctionContext } from './functionContext';
import { localsOf } from './scope';

export interface LaunchSite {
  readonly launch: LaunchExpr;
  readonly host: FunctionContext;
  readonly kernel?: FunctionDecl;
}

const sitesByUnit = new WeakMap<TranslationUnit, readonly LaunchSite[]>();

/**
 * The `<<<…>>>` launches in all files of the unit. A name that several kernels of as many parameters share binds
 * to none.
 */
export function launchSitesOf(context: FunctionContext): readonly LaunchSite[] {
  const known = sitesByUnit.get(context.unit);
  if (known) return known;
  const sites: LaunchSite[] = [];
  for (const file of context.unit.files) {
    for (const fn of file.functions) {
      if (!fn.body) continue;
      let host: FunctionContext | undefined;
      for (const node of localsOf(fn).nodes) {
        if (node.kind !== 'launch' || node.config.length < 2) continue;
        host ??= createFunctionContext(context.unit, file, fn, { program: context.program, types: context.types });
        const kernels =
          node.callee.kind === 'name'
            ? context.program
                .functions(lastPart(node.callee.name))
                .filter((candidate) => candidate.global && candidate.body && takes(candidate, node.args.length))
            : [];
        sites.push({ launch: node, host, ...(kernels.length === 1 ? { kernel: kernels[0]! } : {}) });
      }
    }
  }
  sitesByUnit.set(context.unit, sites);
  return sites;
}

function takes(kernel: FunctionDecl, given: number): boolean {
  const needed = kernel.params.filter((param) => !param.init && !param.pack).length;
  return given >= needed && (given <= kernel.params.length || kernel.params.some((param) => param.pack));
}
