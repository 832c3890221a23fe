// Which build flags turn the optimisation of device code off, and where a Makefile says so.
import { basename } from 'node:path';
import type { DeviceDebug } from '../semantic/facts/model';

/** `-G`: with it nvcc compiles device code as ptxas -O0, and takes no notice of -O3 and -lineinfo. */
export function debugs(word: string): boolean {
  return /^(-G|--device-debug)$/.test(word);
}

/** Asks for optimised code. */
export function optimises(word: string): boolean {
  return /^-O[123]$/.test(word);
}

/** The words of a Makefile's variable, or of a command under a target. */
export interface MakefileWords {
  /** The variable that holds them; absent in a command. */
  readonly variable?: string;
  /** By `+=` or `?=`, which leave what there is. */
  readonly adds?: boolean;
  /** The target of a command, and what it is made from. */
  readonly target?: string;
  readonly madeFrom?: string;
  readonly line: number; // from 1
  readonly words: readonly string[];
}

const forDebugging = /debug|dbg|gdb|memcheck|sanitiz|(?<![a-z])deb(?![a-z])/i;

/**
 * Where device code is compiled for debugging without being asked to: `-G` in a command that runs nvcc, or in a
 * variable that holds it to the end and that the Makefile uses, neither of which is named for debugging. Silent where
 * another command compiles CUDA without it: which of them is used is unknown. `all` are those under
 * no condition.
 */
export function deviceDebugIn(path: string, text: string, all: readonly MakefileWords[]): DeviceDebug | undefined {
  // What a variable was set to last is what commands are handed.
  const holds = new Map<string, boolean>();
  for (const { variable, adds, words } of all)
    if (variable) holds.set(variable, words.some(debugs) || (!!adds && !!holds.get(variable)));
  const holders = [...holds].filter(([, held]) => held).map(([name]) => name);
  const isDebugged = ({ words }: MakefileWords): boolean =>
    words.some((word) => debugs(word) || (word.includes('$') && holders.some((name) => names(word, name))));
  const isAskedFor = ({ variable, target }: MakefileWords): boolean =>
    forDebugging.test(`${variable ?? ''} ${target ?? ''}`);
  const commands = all.filter((one) => !one.variable);
  if (!holders.length && !commands.some(({ words }) => words.some(debugs))) return undefined;
  if (commands.some((one) => compiles(one) && !isDebugged(one))) return undefined;
  for (const one of all) {
    const { variable, line, words } = one;
    if (!words.some(debugs) || isAskedFor(one)) continue;
    if (variable) {
      const inAll = usesIn(text, variable);
      const inDebugging = commands
        .filter(isAskedFor)
        .reduce((sum, { words: w }) => sum + usesIn(w.join(' '), variable), 0);
      if (!holds.get(variable) || inAll <= inDebugging) continue;
    } else if (!runsNvcc(words)) continue;
    return { where: `${basename(path)}, line ${line}`, optimised: words.some(optimises) };
  }
  return undefined;
}

function names(word: string, variable: string): boolean {
  return word.includes(`$(${variable})`) || word.includes(`\${${variable}}`);
}

function usesIn(text: string, variable: string): number {
  return text.match(new RegExp(`\\$[({]${variable}[)}]`, 'g'))?.length ?? 0;
}

/** Commands may have the prefixes `@` (not echoed), `-` (may fail) and `+`. */
function runsNvcc(words: readonly string[]): boolean {
  return words.some((word) => /(^|\/)[@+-]*nvcc$|\$[({]\w*NVCC\w*[)}]/.test(word));
}

/** Makes object code of CUDA sources, as far as the text says: links and lists of dependencies do not. */
function compiles({ words, madeFrom }: MakefileWords): boolean {
  if (!runsNvcc(words) || words.some((word) => /^-(M|MM|E)$/.test(word))) return false;
  return words.some((word) => /\.cu$|^-(c|dc|-compile|-device-c)$/.test(word)) || /\.cu\b/.test(madeFrom ?? '');
}

const cmakeCommand = /^[ \t]*(\w+)[ \t]*\(((?:"(?:\\.|[^"\\])*"|[^")])*)\)/gm;

/**
 * The same of a `CMakeLists.txt`: flags that hold for every build type, outside of `if`, loops and functions; those of
 * a target only where it is the file's only one.
 */
export function deviceDebugInCMake(path: string, text: string): DeviceDebug | undefined {
  const plain = text.replace(/#.*$/gm, '');
  const targets = [...plain.matchAll(/^[ \t]*(?:cuda_)?add_(?:executable|library)[ \t]*\(/gim)].length;
  let depth = 0;
  let debug: DeviceDebug | undefined;
  for (const { 1: name, 2: args, index } of plain.matchAll(cmakeCommand)) {
    const command = name!.toLowerCase();
    if (/^(if|foreach|while|function|macro)$/.test(command)) depth++;
    else if (/^end(if|foreach|while|function|macro)$/.test(command)) depth--;
    const isForAll =
      /^(set|list|string)$/.test(command) && /^\s*(?:APPEND\s+)?CMAKE_CUDA_FLAGS\b|\bCUDA_NVCC_FLAGS\b/.test(args!);
    const isForTarget = command === 'target_compile_options' && targets === 1;
    if (depth > 0 || !(isForAll || isForTarget || command === 'add_compile_options')) continue;
    // What a variable held is kept by those who name it again.
    if (command === 'set' && !/\$\{(CMAKE_CUDA_FLAGS|CUDA_NVCC_FLAGS)\}/.test(args!)) debug = undefined;
    if (forDebugging.test(args!) || /\$<(?!\$?<?COMPILE_LANG)/.test(args!)) continue;
    const words = args!.split(/[\s"';,:<>]+/);
    const line = plain.slice(0, index).split('\n').length;
    if (words.some(debugs)) debug = { where: `${basename(path)}, line ${line}`, optimised: words.some(optimises) };
  }
  return debug;
}
