// Chooses V8's baseline compiler for the WebAssembly of the parsers.
import { setFlagsFromString } from 'node:v8';

/**
 * V8's optimizing compiler takes 0.3 s of the processor for the lexers, and seven for Fortran's, whose main function
 * has 458 KB; no process can end before that. A file of 20,000 lines gains nothing from what it compiles. Node 24
 * derives the other flags from the first only when it starts. They hold for all threads and what they compile later.
 */
export function useBaselineCompiler(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
}
