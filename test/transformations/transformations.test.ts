// Programs in library style have the findings and figures of the same programs without it.
import { deepStrictEqual, notDeepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import type { Syntax } from '../../server/src/syntax';
import { testSyntax } from '../support/analyseText';
import { deep, sampleOf } from '../support/depth';
import { nvccVersion } from '../support/nvcc';
import { compare } from './compare';
import { sourcesOf, type Source } from './corpus';
import known from './known.json';
import { changed, markedText, originOf } from './marked';
import type { Transformed } from './program';
import { composed, transformations, transformed } from './transformations';

const differing: Readonly<Record<string, readonly string[]>> = known.single;
const differingTogether: Readonly<Record<string, readonly string[]>> = known.composed;
const seeds = [1];

/** "*" stands for all programs. */
function isKnown(transformation: string, program: string): boolean {
  const listed = differing[transformation];
  return !!listed && (listed[0] === '*' || listed.includes(program));
}

describe('transformations', () => {
  let syntax: Syntax;
  before(async () => {
    syntax = await testSyntax();
  });
  const sources = sourcesOf();

  it('keep where each character comes from', () => {
    const text = 'int a = 1; int b = a;';
    const other = changed(markedText(text), [
      { start: 0, end: 0, by: ['struct S {}; '] },
      { start: 19, end: 20, by: ['longer'] },
    ]);
    strictEqual(other.text, 'struct S {}; int a = 1; int b = longer;');
    strictEqual(originOf(other, 0, 5), -1);
    strictEqual(originOf(other, 0, other.text.length), 0);
    strictEqual(originOf(other, other.text.indexOf('longer') + 2, other.text.length), 19);
  });

  it('see what is softened, lost and wrong', () => {
    const text =
      '__global__ void k(const float *a, float *b) { int i = blockIdx.x * 256 + threadIdx.x; b[i] = a[2 * i]; }\nvoid f(const float *a, float *b) { k<<<4096, 256>>>(a, b); }\n';
    const verdictsWith = (from: string, to: string): string[] => {
      const start = text.indexOf(from);
      const main = changed(markedText(text), [{ start, end: start + from.length, by: [to] }]);
      return compare(syntax, '/one.cu', text, { main }, new Map()).map(({ verdict }) => verdict);
    };
    deepStrictEqual(new Set(verdictsWith('2 * i', '2 * i')), new Set(['unchanged']));
    ok(verdictsWith('2 * i', '4 * i').includes('wrong'));
    ok(verdictsWith('a[2 * i]', '0.0f').includes('lost'));
    ok(verdictsWith('2 * i', '(i * *(int *)b)').some((verdict) => verdict === 'softened' || verdict === 'wrong'));
  });

  it('know no exception that is not there', () => {
    const names = new Set(transformations.map(({ name }) => name));
    const programs = new Set(['*', ...sources.map(({ name }) => name)]);
    for (const [name, listed] of Object.entries(differing)) {
      ok(names.has(name), name);
      for (const each of listed) ok(programs.has(each), `${name}: ${each}`);
    }
  });

  /** What is not as before; a known exception has to differ, or is to be taken from the list. */
  const demand = (source: Source, program: Transformed, exception: boolean): void => {
    const results = compare(syntax, source.path, source.text, program, source.beside);
    const bad = results.filter(({ verdict }) => verdict !== 'unchanged');
    if (exception) notDeepStrictEqual(bad, [], 'nothing differs any more: take it from known.json');
    else deepStrictEqual(bad, []);
  };

  const pairs = sources.flatMap((source) => transformations.map((one) => ({ source, one })));
  for (const { source, one } of sampleOf(pairs, 60))
    it(`${one.name}: ${source.name}`, () => {
      const program = transformed(syntax, source.text, one);
      if (program) demand(source, program, isKnown(one.name, source.name));
    });

  for (const seed of seeds)
    for (const source of sampleOf(sources, 8))
      it(`three composed by seed ${seed}: ${source.name}`, () => {
        const made = composed(syntax, source.text, seed, 3);
        if (made) demand(source, made.program, !!differingTogether[String(seed)]?.includes(source.name));
      });

  if (deep && nvccVersion())
    for (const one of transformations)
      it(`${one.name} compiles`, function () {
        this.timeout(600_000);
        const folder = mkdtempSync(join(tmpdir(), 'warplens-transformations-'));
        try {
          const made = sources.flatMap((source) => {
            const program = transformed(syntax, source.text, one);
            return program ? [{ source, program }] : [];
          });
          const step = Math.max(1, Math.floor(made.length / 10));
          for (const { source, program } of made.filter((_, at) => at % step === 0)) compiles(folder, source, program);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
});

function compiles(folder: string, source: Source, { main, headers }: Transformed): void {
  const at = join(folder, source.path);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write(at, main.text);
  for (const [name, { text }] of headers ?? []) write(join(dirname(at), name), text);
  for (const [path, text] of source.beside) write(join(folder, path), text);
  const flags = ['-arch=sm_90', '-std=c++17', '--extended-lambda', '-w', '-cuda', '-o', '/dev/null'];
  try {
    execFileSync('nvcc', [...flags, at], { stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr);
    // The header of a library that this machine lacks: the program itself does not compile either.
    const [, header] = /fatal error: ([^:\s]+): No such file/.exec(said) ?? [];
    if (header !== undefined && source.text.includes(`#include <${header}>`)) return;
    throw new Error(`${source.name} does not compile: ${said}\n${main.text}`);
  }
}
