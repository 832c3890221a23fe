// Which host code launches kernels, directly or through what it calls.
import { once } from './append';
import type { FunctionDecl, Stmt } from '../../syntax/ast';
import { functionsWith, lastPart, wordsLike, type Program } from './program';
import { containsLaunch, launchingCall } from './statements';

/** Whether a body launches by its own text, and the names that it calls, as they are written. */
interface Calls {
  readonly launches: boolean;
  readonly called: ReadonlySet<string>;
}

export const callsOf = once((body: Stmt): Calls => {
  const called = new Set<string>();
  return { launches: containsLaunch(body, (name) => called.add(name)), called };
});

const launchWords = ({ unit }: Program): string[] => ['<<<', ...wordsLike(unit, launchingCall)];

function mayLaunch(fn: FunctionDecl): fn is FunctionDecl & { readonly body: Stmt } {
  return fn.body !== undefined && fn.host;
}

/** The last parts of the names of host functions that launch, themselves or by what they call. */
const launchersOf = once((program: Program): ReadonlySet<string> => {
  const here = functionsWith(program.unit, launchWords(program));
  const found = new Set(here.flatMap((fn) => (mayLaunch(fn) && callsOf(fn.body).launches ? lastPart(fn.name) : [])));
  // A set goes over what is added to it on the way, too.
  for (const name of found)
    for (const caller of functionsWith(program.unit, [name]))
      if (mayLaunch(caller) && [...callsOf(caller.body).called].some((each) => lastPart(each) === name))
        found.add(lastPart(caller.name));
  return found;
});

/** The host functions that launch or may call what does. */
export function mayReachLaunch(program: Program): readonly FunctionDecl[] {
  return functionsWith(program.unit, [...launchWords(program), ...launchersOf(program)]).filter(
    (fn) => mayLaunch(fn) && !fn.global && bodyLaunches(fn.body, program),
  );
}

/** Does the body launch, or call something known that does? */
export function bodyLaunches(body: Stmt, program: Program): boolean {
  const { launches, called } = callsOf(body);
  if (launches) return true;
  const launchers = launchersOf(program);
  for (const name of called) if (launchers.has(lastPart(name))) return true;
  return false;
}
