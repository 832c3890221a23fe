// The problem matchers for compilers' words, tried as the editor tries them: one pattern a line in a row, the last one repeated.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import manifest from '../../package.json';

interface Pattern { readonly regexp: string; readonly file?: number; readonly line?: number; readonly message?: number; readonly loop?: boolean }
const patterns = manifest.contributes.problemPatterns as unknown as readonly ({ readonly name: string } & Partial<Pattern> & { readonly patterns?: readonly Pattern[] })[];

function problemsIn(name: string, text: string): string[] {
  const found = patterns.find((each) => each.name === name)!;
  const chain = found.patterns ?? [found as Pattern];
  const lines = text.split('\n');
  const problems: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const told: Record<string, string | undefined> = {};
    const take = (pattern: Pattern, line: string | undefined): boolean => {
      const match = line === undefined ? null : new RegExp(pattern.regexp).exec(line);
      if (!match) return false;
      for (const field of ['file', 'line', 'message'] as const) if (pattern[field] !== undefined) told[field] = match[pattern[field]];
      return true;
    };
    const say = (): void => { if (told['file'] && told['line'] && told['message']) problems.push(`${told['file']}:${told['line']} ${told['message']}`); };
    if (!chain.every((pattern, index) => take(pattern, lines[at + index]))) continue;
    at += chain.length - 1;
    say();
    while (chain.at(-1)!.loop && take(chain.at(-1)!, lines[at + 1])) { at++; say(); }
  }
  return problems;
}

describe('problem matchers', () => {
  it('nvc: a command, headings, messages and their continuations', () => {
    deepStrictEqual(problemsIn('warplens-minfo', `make: Entering directory '/p'
nvc -fast -acc -Minfo=accel -c src/rows.c -o rows.o
scale:
      3, Generating NVIDIA GPU code
          4, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */
product:
     10, Generating copyin(p[:n])
         Generating copyout(q[:n])
     14, Loop is parallelizable
nvc -o prog rows.o
done:
     99, this is no message
`), ['src/rows.c:3 Generating NVIDIA GPU code', 'src/rows.c:4 #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */', 'src/rows.c:10 Generating copyin(p[:n])', 'src/rows.c:14 Loop is parallelizable']);
    deepStrictEqual(problemsIn('warplens-minfo', 'rows.F90:\nsmooth:\n     12, Loop is parallelizable\n'), ['rows.F90:12 Loop is parallelizable']);
  });

  it('GCC', () => {
    deepStrictEqual(problemsIn('warplens-openacc-gcc', 'src/rows.c:3:11: optimized: assigned OpenACC gang vector loop parallelism\nsrc/rows.c:9:3: optimized: loop vectorized using 16 byte vectors\nrows.c:3:1: warning: unused\n'), ['src/rows.c:3 assigned OpenACC gang vector loop parallelism']);
  });

  it('name patterns that there are', () => {
    for (const { name, pattern } of manifest.contributes.problemMatchers) strictEqual(pattern, `$${name}`);
  });
});
