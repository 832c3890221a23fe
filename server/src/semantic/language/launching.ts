// Which host code launches kernels, directly or through what it calls.
import { once } from './append';
import type { FunctionDecl, LaunchExpr, Stmt } from '../../syntax/ast';
import { functionsWith, lastPart, wordsLike, type Program } from './program';
import { containsLaunch, launchingCall, some } from './statements';

/** Whether a body launches by its own text, and the names that it calls, as they are written. */
interface Calls {
  readonly launches: boolean;
  readonly called: ReadonlySet<string>;
  /** Those, and names handed to calls, which may call them. */
  readonly mayCall: ReadonlySet<string>;
}

export const callsOf = once((body: Stmt): Calls => {
  const called = new Set<string>();
  const mayCall = new Set<string>();
  const launches = containsLaunch(body, (name, isHanded) => {
    mayCall.add(name);
    if (!isHanded) called.add(name);
  });
  return { launches, called, mayCall };
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
      if (mayLaunch(caller) && [...callsOf(caller.body).mayCall].some((each) => lastPart(each) === name))
        found.add(lastPart(caller.name));
  return found;
});

/** Only callers know the kernels of a function that launches what it is given. */
function launchesParameters({ body, params }: FunctionDecl): boolean {
  const isParameter = ({ callee }: LaunchExpr): boolean =>
    callee.kind === 'name' && params.some(({ name }) => name === callee.name);
  const launches = (given: boolean): boolean =>
    some(body, (node) => node.kind === 'launch' && isParameter(node) === given);
  return launches(true) && !launches(false);
}

/** The host functions that launch a kernel or may call what does. */
export function mayReachLaunch(program: Program): readonly FunctionDecl[] {
  const isKnown = (fn: FunctionDecl & { readonly body: Stmt }): boolean =>
    callsLauncher(fn.body, program) || (callsOf(fn.body).launches && !launchesParameters(fn));
  return functionsWith(program.unit, [...launchWords(program), ...launchersOf(program)]).filter(
    (fn) => mayLaunch(fn) && !fn.global && isKnown(fn),
  );
}

/** Does the body launch, or call something known that does? */
export function bodyLaunches(body: Stmt, program: Program): boolean {
  return callsOf(body).launches || callsLauncher(body, program);
}

function callsLauncher(body: Stmt, program: Program): boolean {
  const launchers = launchersOf(program);
  return [...callsOf(body).mayCall].some((name) => launchers.has(lastPart(name)));
}
