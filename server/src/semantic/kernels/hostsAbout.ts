// Which host functions a kernel's facts may depend on: those that name it, and what these call. An edit elsewhere in
// the host code leaves the facts as they are.
import { append, launchesIn, lastPart, once, runsOf, type Program } from '../language';
import type { FunctionDecl, SourceFile } from '../../syntax/ast';

const word = /[A-Za-z_]\w*/g;

/** The words of a body: an edit changes one function of a file, and a header is read in many units. */
const wordsOfBody = new WeakMap<object, ReadonlySet<string>>();
function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(word));
}

/** The words of what each macro of some files is defined as, and the macros that name a word. */
const macrosOfRun = once((files: readonly SourceFile[]) => {
  const words = new Map<string, string[]>();
  const naming = new Map<string, string[]>();
  for (const { name, body } of files.flatMap((file) => file.macros)) {
    const its = wordsIn(body);
    append(words, name, ...its);
    for (const each of its) append(naming, each, name);
  }
  return { words, naming };
});

/**
 * Keys of the host functions that name one of the kernels, themselves or through macros, or launch what has no name,
 * and of all that these call, joined. `found` has those of a program with the same host functions and macros.
 */
export function createHostsAbout(
  program: Program,
  found: Map<string, string>,
): (kernels: ReadonlySet<string>) => string {
  let index: ReturnType<typeof indexOf> | undefined;
  return (kernels) => {
    const asked = [...kernels].map(lastPart).sort().join();
    let keys = found.get(asked);
    if (keys === undefined) found.set(asked, (keys = (index ??= indexOf(program))(asked.split(','))));
    return keys;
  };
}

function indexOf(program: Program): (kernels: readonly string[]) => string {
  const runs = runsOf(program.unit.files).map(macrosOfRun);
  const macros = (name: string): readonly string[] => runs.flatMap((run) => run.words.get(name) ?? []);
  const macrosNaming = (name: string): readonly string[] => runs.flatMap((run) => run.naming.get(name) ?? []);

  function mentions(fn: FunctionDecl): ReadonlySet<string> {
    let words = wordsOfBody.get(fn.body!);
    if (!words) {
      const text = program.fileOf(fn)?.text ?? '';
      wordsOfBody.set(fn.body!, (words = wordsIn(text.slice(fn.base + fn.start, fn.base + fn.end))));
    }
    return words;
  }

  const hosts = program.allFunctions().filter((fn) => fn.body && fn.host && !fn.global);
  const byName = new Map<string, FunctionDecl[]>();
  for (const fn of hosts) append(byName, fn.name, fn);
  const nameless = hosts.filter((fn) => launchesIn(fn).some(({ callee }) => callee.kind !== 'name'));
  /** `reached` and all that it calls, over names that `through` does not have yet. */
  function extend(reached: Set<FunctionDecl>, through: Set<string>): void {
    const follow = (mentioned: Iterable<string>): void => {
      for (const name of mentioned) {
        if (through.has(name)) continue;
        through.add(name);
        for (const fn of byName.get(name) ?? []) reached.add(fn);
        follow(macros(name));
      }
    };
    for (const fn of reached) follow(mentions(fn));
  }
  const always = { reached: new Set(nameless), through: new Set<string>() };
  extend(always.reached, always.through);

  return (kernels) => {
    const names = new Set(kernels);
    // A macro that names the kernel, or another such macro, stands for it.
    for (const name of names) for (const macro of macrosNaming(name)) names.add(macro);
    const asking = [...names];
    const naming = hosts.filter((fn) => asking.some((name) => mentions(fn).has(name)));
    const reached = new Set([...always.reached, ...naming]);
    extend(reached, new Set(always.through));
    return [...reached].map((fn) => fn.key).join();
  };
}
