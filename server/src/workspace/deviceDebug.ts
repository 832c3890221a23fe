// Which build flags turn the optimisation of device code off, and where a Makefile says so.
import { basename } from 'node:path';
import type { DeviceDebug } from '../semantic/build';

/** `-G`: with it nvcc compiles device code as ptxas -O0, and takes no notice of -O3 and -lineinfo. */
export function debugs(word: string): boolean {
  return /^(-G|--device-debug)$/.test(word);
}

/** Asks for optimised code. */
export function optimises(word: string): boolean {
  return /^-O[123]$/.test(word);
}

/** One word of a Makefile's variable, or of a command under a target. */
export interface MakefileWords {
  /** The variable that holds them; absent in a command. */
  readonly variable?: string;
  /** The target of a command. */
  readonly target?: string;
  readonly line: number; // from 1
  readonly words: readonly string[];
}

const forDebugging = /debug|dbg/i;

/**
 * Where device code is compiled for debugging without being asked to: `-G` in a command that runs nvcc, or in a
 * variable that the Makefile uses, neither of which is named for debugging. `all` are those that stand under no
 * condition.
 */
export function deviceDebugIn(path: string, text: string, all: readonly MakefileWords[]): DeviceDebug | undefined {
  for (const { variable, target, line, words } of all) {
    if (!words.some(debugs) || forDebugging.test(`${variable ?? ''} ${target ?? ''}`)) continue;
    const isUsed = variable
      ? new RegExp(`\\$[({]${variable}[)}]`).test(text)
      : words.some((word) => /(^|\/)nvcc$|\$[({]\w*NVCC\w*[)}]/.test(word));
    if (!isUsed) continue;
    return { where: `${basename(path)}, line ${line}`, optimised: words.some(optimises) };
  }
  return undefined;
}
