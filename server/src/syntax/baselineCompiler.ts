// Chooses V8's baseline compiler for the WebAssembly of the parsers.
import { setFlagsFromString } from 'node:v8';

/**
 * V8 would optimize the lexers after their first texts: 0.7 s of a core for CUDA, and for Fortran, whose lexer is one
 * function of 458 KB, seven seconds and in Node 24 3 GB, which no process can end before. Baseline code reads files of
 * 20,000 lines as fast. The flag holds for what is compiled from then on, in every thread; other versions ignore it.
 */
export function useBaselineCompiler(): void {
  // Node 24 draws no conclusions from a flag that is set at run time: the others follow from the first elsewhere.
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
}
