// Which host functions a kernel's facts may depend on: those that name it, and what these call.
import { append, includedHosts, isMentionedByIncluded, launchesIn, lastPart, once, runsOf } from '../language';
import type { Program } from '../language';
import type { FunctionDecl, SourceFile } from '../../syntax/ast';

/** The words of a body: an edit changes one function of a file, and a header is read in many units. */
const wordsOfBody = new WeakMap<object, ReadonlySet<string>>();
function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_]\w*/g));
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
export function createHostsAbout(program: Program, found: Map<string, string>) {
  let index: ReturnType<typeof indexOf> | undefined;
  return (kernels: ReadonlySet<string>): string => {
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
    const text = (): string => program.fileOf(fn)?.text.slice(fn.base + fn.start, fn.base + fn.end) ?? '';
    const words = wordsOfBody.get(fn.body!) ?? wordsIn(text());
    wordsOfBody.set(fn.body!, words);
    return words;
  }

  const hosts = program.unit.main.functions.filter((fn) => fn.body && fn.host && !fn.global);
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
  // What included files mention they may call.
  const calledBack = hosts.filter((fn) => isMentionedByIncluded(lastPart(fn.name), program.unit));
  const [always, throughAlways] = [new Set([...nameless, ...calledBack]), new Set<string>()];
  extend(always, throughAlways);

  return (kernels) => {
    const names = new Set(kernels);
    // A macro that names the kernel, or another such macro, stands for it.
    for (const name of names) for (const macro of macrosNaming(name)) names.add(macro);
    const naming = hosts.filter((fn) => [...names].some((name) => mentions(fn).has(name)));
    const reached = new Set([...always, ...naming]);
    extend(reached, new Set(throughAlways));
    return [...[...reached].map((fn) => fn.key), includedHosts(program.unit)].join();
  };
}
