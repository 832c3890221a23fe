// Which host code launches kernels, directly or through what it calls.
import { append, once } from './append';
import type { FunctionDecl, SourceFile, Stmt } from '../../syntax/ast';
import { lastPart, type Program } from './program';
import { containsLaunch } from './statements';

/** Whether a body launches by its own text, and the names that it calls, as they are written. */
interface Calls {
  readonly launches: boolean;
  readonly called: ReadonlySet<string>;
}

export const callsOf = once((body: Stmt): Calls => {
  const called = new Set<string>();
  return { launches: containsLaunch(body, (name) => called.add(name)), called };
});

/** The host functions of a file: names of those that launch, and of those that call a name. */
interface Callers {
  readonly launching: readonly string[];
  readonly of: ReadonlyMap<string, readonly string[]>;
}

const callersIn = once((file: SourceFile): Callers => {
  const launching: string[] = [];
  const of = new Map<string, string[]>();
  for (const fn of file.functions) {
    if (!mayLaunch(fn)) continue;
    const name = lastPart(fn.name);
    const { launches, called } = callsOf(fn.body);
    if (launches) launching.push(name);
    for (const each of new Set([...called].map(lastPart))) append(of, each, name);
  }
  return { launching, of };
});

function mayLaunch(fn: FunctionDecl): fn is FunctionDecl & { readonly body: Stmt } {
  return fn.body !== undefined && fn.host;
}

/** The last parts of the names of host functions that launch, themselves or by what they call. */
const launchersOf = once((program: Program): ReadonlySet<string> => {
  const files = program.unit.files.map(callersIn);
  const found = new Set(files.flatMap(({ launching }) => launching));
  // A set goes over what is added to it on the way, too.
  for (const name of found) for (const { of } of files) for (const caller of of.get(name) ?? []) found.add(caller);
  return found;
});

/** Does the body launch, or call something known that does? */
export function bodyLaunches(body: Stmt, program: Program): boolean {
  const { launches, called } = callsOf(body);
  if (launches) return true;
  const launchers = launchersOf(program);
  for (const name of called) if (launchers.has(lastPart(name))) return true;
  return false;
}
