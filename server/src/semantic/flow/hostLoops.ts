// The loops of host code that repeat a launch: those around it, and those around the calls that lead to it.
import type { FunctionDecl } from '../../syntax/ast';
import { launchCount } from '../figures';
import { type AnySyntax, callSitesOf, Fn, type Program, type TypeTable } from '../language';
import type { HostLoops } from '../model';
import { loopsAround, tripsOf } from './calls';

type Known = { readonly program: Program; readonly types: TypeTable };

/** Answers for one program; of several callers the one that repeats the launch most counts. */
export function createHostLoops({ program, types }: Known): (decl: FunctionDecl, launch: AnySyntax) => HostLoops {
  const { unit } = program;
  const known = new Map<string, HostLoops>();
  const around = (decl: FunctionDecl, node: AnySyntax): HostLoops => {
    const fn = new Fn(unit, program.fileOf(decl) ?? unit.main, decl, { program, types });
    return [...loopsAround(node, fn).map((loop) => tripsOf(loop, fn)), ...aroundCalls(decl)];
  };
  const aroundCalls = (decl: FunctionDecl): HostLoops => {
    const key = `${decl.uri} ${decl.key}`;
    let most = known.get(key) ?? [];
    if (known.has(key)) return most;
    known.set(key, most); // a function that leads to itself
    for (const { caller, call } of callSitesOf(unit, decl, 'host')) {
      const loops = around(caller, call);
      if (launchCount(loops) > launchCount(most)) most = loops;
    }
    known.set(key, most);
    return most;
  };
  return around;
}
