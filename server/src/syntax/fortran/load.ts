// Loads a grammar whose lexer must never reach V8's optimising compiler.
import { setFlagsFromString } from 'node:v8';
import { Language } from 'web-tree-sitter';

/**
 * Fortran's lexer is one WebAssembly function of 458 KB. V8 would begin to optimise it after the first parse: seven seconds of a core and
 * hundreds of megabytes (3 GB in Node 24), and no process can end before that is done. A module keeps the kind of tiering that was in force when
 * it was made, so the flags stand during the load; the one that would optimise whole modules at once stays off, since functions are
 * compiled when first called. The other grammars, made before, are optimised function by function as ever.
 */
export async function loadUntiered(bytes: Uint8Array): Promise<Language> {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return await Language.load(bytes);
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
