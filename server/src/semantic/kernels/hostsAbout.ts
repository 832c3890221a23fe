// Which host functions a kernel's facts may depend on: those that name it, and what these call. An edit elsewhere in
// the host code leaves the facts as they are.
import { append, launchesIn, lastPart, type Program } from '../language';
import type { FunctionDecl, SourceFile } from '../../syntax/ast';

const word = /[A-Za-z_]\w*/g;

/** The words of a body: an edit changes one function of a file, and a header is read in many units. */
const wordsOfBody = new WeakMap<object, readonly string[]>();
/** The words of what macros are defined as, by file. */
const wordsOfMacros = new WeakMap<SourceFile, readonly MacroWords[]>();
interface MacroWords {
  readonly name: string;
  readonly words: readonly string[];
}

function wordsIn(text: string): readonly string[] {
  return [...new Set(text.match(word) ?? [])];
}

function macroWordsOf(file: SourceFile): readonly MacroWords[] {
  let made = wordsOfMacros.get(file);
  if (!made) wordsOfMacros.set(file, (made = file.macros.map(({ name, body }) => ({ name, words: wordsIn(body) }))));
  return made;
}

/**
 * Keys of the host functions that name one of the kernels, themselves or through macros, or launch what has no name,
 * and of all that these call, joined.
 */
export function createHostsAbout(program: Program): (kernels: ReadonlySet<string>) => string {
  const macros = new Map<string, Set<string>>();
  const macrosNaming = new Map<string, Set<string>>();
  for (const file of program.unit.files)
    for (const { name, words } of macroWordsOf(file)) {
      const its = macros.get(name);
      if (!its) macros.set(name, new Set(words));
      else for (const each of words) its.add(each);
      for (const each of words) {
        const naming = macrosNaming.get(each);
        if (naming) naming.add(name);
        else macrosNaming.set(each, new Set([name]));
      }
    }

  function mentions(fn: FunctionDecl): readonly string[] {
    let words = wordsOfBody.get(fn.body!);
    if (!words) {
      const text = program.fileOf(fn)?.text ?? '';
      wordsOfBody.set(fn.body!, (words = wordsIn(text.slice(fn.base + fn.start, fn.base + fn.end))));
    }
    return words;
  }

  const hosts = [...program.allFunctions()].filter((fn) => fn.body && fn.host && !fn.global);
  const naming = new Map<string, FunctionDecl[]>();
  for (const fn of hosts) for (const name of mentions(fn)) append(naming, name, fn);
  const byName = new Map<string, FunctionDecl[]>();
  for (const fn of hosts) append(byName, fn.name, fn);
  const nameless = hosts.filter((fn) => launchesIn(fn).some(({ callee }) => callee.kind !== 'name'));
  /** A function and all that it calls, which is the same for each kernel that it names. */
  const reaching = new Map<FunctionDecl, ReadonlySet<FunctionDecl>>();
  function reachedFrom(seed: FunctionDecl): ReadonlySet<FunctionDecl> {
    const known = reaching.get(seed);
    if (known) return known;
    const reached = new Set([seed]);
    const through = new Set<string>();
    const follow = (mentioned: Iterable<string>): void => {
      for (const name of mentioned) {
        if (through.has(name)) continue;
        through.add(name);
        for (const fn of byName.get(name) ?? []) reached.add(fn);
        const its = macros.get(name);
        if (its) follow(its);
      }
    };
    for (const fn of reached) follow(mentions(fn));
    reaching.set(seed, reached);
    return reached;
  }
  const found = new Map<string, string>();

  return (kernels) => {
    const asked = [...kernels].map(lastPart).sort().join();
    const before = found.get(asked);
    if (before !== undefined) return before;
    const names = new Set(asked.split(','));
    // A macro that names the kernel, or another such macro, stands for it.
    for (const name of names) for (const macro of macrosNaming.get(name) ?? []) names.add(macro);
    const reached = new Set<FunctionDecl>();
    for (const seed of new Set([...nameless, ...[...names].flatMap((name) => naming.get(name) ?? [])]))
      for (const fn of reachedFrom(seed)) reached.add(fn);
    const keys = [...reached].map((fn) => fn.key).join();
    found.set(asked, keys);
    return keys;
  };
}
