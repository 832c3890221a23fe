// Which host code launches kernels, directly or through what it calls.
import type { Stmt } from '../../syntax/ast';
import type { Program } from './program';
import { containsLaunch } from './statements';

const launching = new WeakMap<object, boolean>();

/** Does the body launch, or call something known that does? */
export function bodyLaunches(body: Stmt, program: Program, depth = 0): boolean {
  const known = launching.get(body);
  if (known !== undefined) return known;
  launching.set(body, false);
  const called = new Set<string>();
  let found = containsLaunch(body, (name) => called.add(name));
  if (!found && depth < 6) {
    for (const name of called) {
      if (program.functions(name).some((fn) => fn.body && fn.host && bodyLaunches(fn.body, program, depth + 1))) {
        found = true;
        break;
      }
    }
  }
  launching.set(body, found);
  return found;
}
