// Loads Fortran's grammar, whose lexer must never reach V8's optimising compiler.
import { setFlagsFromString } from 'node:v8';
import { Language, Parser } from 'web-tree-sitter';

/**
 * Code that makes the parser of every language go through its functions: an error, a comment and a nested construct
 * among them.
 */
const familiarText =
  '__global__ void k(float *a, int n) { // one\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < ' +
  'n) { a[i] = 2.0f * a[i] + ; }\n}\n#define X 1\nvoid f() { k<<<1, 2>>>(0, X); }\n';
/** The same for Fortran's own: its lexer, keywords, strings, labels and continuations. */
const fortranText =
  'program p\n  real(8) :: a(3) ! one\n  do 10 i = 1, 3\n  a(i) = .5d0 * f("x", \'y\') &\n    & + 1\n10 ' +
  'continue\n  if (a(1) > 0) call s(a%b)\n  x = ) 3\nend program p\n';

/**
 * Fortran's lexer is one WebAssembly function of 458 KB. V8 would begin to optimise it after the first parse: seven
 * seconds of a core and hundreds of megabytes (3 GB in Node 24), and no process can end before that is done. Whether a
 * function counts its calls to be optimised one day is settled in Node 20 and 22 when its module is made, and in Node
 * 24 when the function is first compiled, which is at its first call. So the flags stand while the module is made and
 * while a text goes through its functions. The parser's own functions, which all languages share, go through `familiar`
 * first, so that they are compiled as ever; the flag that would optimise whole modules at once stays off.
 */
export async function loadUntiered(bytes: Uint8Array, familiar: Language): Promise<Language> {
  const parser = new Parser();
  try {
    parser.setLanguage(familiar);
    parser.parse(familiarText)?.delete();
    setFlagsFromString('--no-wasm-tier-up');
    setFlagsFromString('--no-wasm-dynamic-tiering');
    const language = await Language.load(bytes);
    parser.setLanguage(language);
    parser.parse(fortranText)?.delete();
    return language;
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
    parser.delete();
  }
}
