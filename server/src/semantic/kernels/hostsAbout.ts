// Which host functions a kernel's facts may hang on: those that name it, and what these call. An edit elsewhere in the
// host code leaves the facts as they are.
import { launchesIn } from '../language/launchSites';
import { lastPart, type Program } from '../language/program';
import type { FunctionDecl } from '../../syntax/ast';

/** Words of a function that are names of functions or macros of its unit. */
interface Mentioned {
  readonly surroundings: string;
  readonly names: ReadonlySet<string>;
}
/** By the body that mentions them: an edit changes one function of a file. */
const mentionedIn = new WeakMap<object, Mentioned>();

/**
 * Keys of the host functions that name one of the kernels, themselves or through macros, or launch what has no name,
 * and of all that these call, joined. `surroundings` says which functions and macros there are.
 */
export function createHostsAbout(program: Program, surroundings: string): (kernels: ReadonlySet<string>) => string {
  const macros = new Map<string, string[]>();
  for (const file of program.unit.files)
    for (const { name, body } of file.macros) {
      const bodies = macros.get(name);
      if (bodies) bodies.push(body);
      else macros.set(name, [body]);
    }
  const isKnown = (word: string): boolean => macros.has(word) || program.functions(word).length > 0;
  const known = (text: string): string[] => [...new Set(text.match(/[A-Za-z_]\w*/g) ?? [])].filter(isKnown);
  const macroNames = new Map([...macros].map(([name, bodies]) => [name, new Set(bodies.flatMap(known))]));

  function mentions(fn: FunctionDecl): ReadonlySet<string> {
    const before = mentionedIn.get(fn.body!);
    if (before?.surroundings === surroundings) return before.names;
    const text = program.fileOf(fn)?.text ?? '';
    const names = new Set(known(text.slice(fn.base + fn.start, fn.base + fn.end)));
    mentionedIn.set(fn.body!, { surroundings, names });
    return names;
  }

  const hosts = [...program.allFunctions()].filter((fn) => fn.body && fn.host && !fn.global);
  const naming = new Map<string, FunctionDecl[]>();
  for (const fn of hosts)
    for (const name of mentions(fn)) {
      const others = naming.get(name);
      if (others) others.push(fn);
      else naming.set(name, [fn]);
    }
  const byName = new Map<string, FunctionDecl[]>();
  for (const fn of hosts) {
    const others = byName.get(fn.name);
    if (others) others.push(fn);
    else byName.set(fn.name, [fn]);
  }
  const nameless = hosts.filter((fn) => launchesIn(fn).some(({ callee }) => callee.kind !== 'name'));
  const found = new Map<string, string>();

  return (kernels) => {
    const asked = [...kernels].map(lastPart).sort().join();
    const before = found.get(asked);
    if (before !== undefined) return before;
    const names = new Set(asked.split(','));
    // A macro that names the kernel, or another such macro, stands for it.
    for (const name of names) for (const [macro, its] of macroNames) if (its.has(name)) names.add(macro);
    const reached = new Set([...nameless, ...[...names].flatMap((name) => naming.get(name) ?? [])]);
    const through = new Set<string>();
    const follow = (mentioned: ReadonlySet<string>): void => {
      for (const name of mentioned) {
        if (through.has(name)) continue;
        through.add(name);
        for (const fn of byName.get(name) ?? []) reached.add(fn);
        const its = macroNames.get(name);
        if (its) follow(its);
      }
    };
    for (const fn of reached) follow(mentions(fn));
    const keys = [...reached].map((fn) => fn.key).join();
    found.set(asked, keys);
    return keys;
  };
}
