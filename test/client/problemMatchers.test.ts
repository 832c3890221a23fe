// The problem matchers for compilers' words, tried on lines as they are printed.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import manifest from '../../package.json';

interface Pattern {
  readonly name: string;
  readonly regexp: string;
  readonly file: number;
  readonly line: number;
  readonly message: number;
}

function problemsIn(name: string, text: string): string[] {
  const pattern = (manifest.contributes.problemPatterns as readonly Pattern[]).find((each) => each.name === name)!;
  return text.split('\n').flatMap((line) => {
    const match = new RegExp(pattern.regexp).exec(line);
    return match ? [`${match[pattern.file]!}:${match[pattern.line]!} ${match[pattern.message]!}`] : [];
  });
}

describe('problem matchers', () => {
  it('nvc, as `warplens feedback` prints it', () => {
    deepStrictEqual(
      problemsIn(
        'warplens-minfo',
        'src/rows.c:4: nvc: #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\nsrc/rows.c:5: GCC: assigned\n     10, Generating copyin(p[:n])\n',
      ),
      ['src/rows.c:4 #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */'],
    );
  });

  it('GCC', () => {
    deepStrictEqual(
      problemsIn(
        'warplens-openacc-gcc',
        'src/rows.c:3:11: optimized: assigned OpenACC gang vector loop parallelism\nsrc/rows.c:9:3: optimized: loop vectorized using 16 byte vectors\nrows.c:3:1: warning: unused\n',
      ),
      ['src/rows.c:3 assigned OpenACC gang vector loop parallelism'],
    );
  });

  it('name patterns that there are', () => {
    for (const { name, pattern } of manifest.contributes.problemMatchers) strictEqual(pattern, `$${name}`);
  });
});
