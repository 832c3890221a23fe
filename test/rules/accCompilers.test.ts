// Every example of the OpenACC rules and every sample passes clang, flang and, for NVIDIA, GCC.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../server/src/rules/registry';
import {
  accCompilers,
  accLanguage,
  compileAcc,
  mistakeRules,
  resolveForNvidia,
  type AccJob,
} from '../support/accCompilers';
import { depth, sampleOf } from '../support/depth';
import { readFixture } from '../support/fixtureFile';
import { skipBecause } from '../support/skipBecause';
import listed from './accRefusals.json';

const rules = join(__dirname, '../../server/src/rules');
const samples = join(__dirname, '../../samples/openacc');

/** Files that one compiler refuses although OpenACC 3.3 allows them: what it says, and why. */
const refusals = listed.map((one) => ({ ...one, compiler: new RegExp(one.compiler), says: new RegExp(one.says) }));

function fixtures(): AccJob[] {
  return registry
    .filter(({ meta }) => meta.id.startsWith('acc/'))
    .flatMap(({ meta: { id } }) =>
      readdirSync(join(rules, id))
        .sort()
        .filter(
          (name) =>
            accLanguage(name) !== undefined &&
            !(mistakeRules.has(id) && name.startsWith('bad') && !name.includes('.fixed.')),
        )
        .map((name) => ({
          name: `${id}/${name}`,
          text: readFixture(readFileSync(join(rules, id, name), 'utf8')).text,
        })),
    );
}

function sampleJobs(): AccJob[] {
  const shared = {
    '#include "../problem.h"': readFileSync(join(samples, 'problem.h'), 'utf8'),
    'include "../problem.inc"': readFileSync(join(samples, 'problem.inc'), 'utf8'),
  };
  return readdirSync(samples, { recursive: true, encoding: 'utf8' })
    .filter((name) => accLanguage(name) !== undefined && !name.startsWith('build'))
    .sort()
    .map((name) => ({
      name: `samples/openacc/${name}`,
      text: Object.entries(shared).reduce(
        (text, [line, header]) => text.replace(line, () => header),
        readFileSync(join(samples, name), 'utf8'),
      ),
    }));
}

describe('OpenACC examples and compilers', () => {
  const { found, missing } = accCompilers();
  for (const sentence of missing)
    it(sentence, function () {
      skipBecause(this, sentence);
    });

  it('examples and samples pass, all of them in a deep run', async function () {
    this.timeout(300_000);
    if (found.length === 0) skipBecause(this, 'there is no compiler of OpenACC on this machine');
    ok(existsSync(samples));
    const failures = await compileAcc(sampleOf([...fixtures(), ...sampleJobs()], depth === 'quick' ? 8 : 60), found);
    const known = (failure: { readonly name: string; readonly compiler: string; readonly error: string }): boolean =>
      refusals.some(
        ({ file, compiler, says }) =>
          failure.name === file && compiler.test(failure.compiler) && says.test(failure.error),
      );
    deepStrictEqual(
      failures
        .filter((failure) => !known(failure))
        .map(({ name, compiler, error }) => `${name} (${compiler})\n${error}`),
      [],
    );
  });

  it('what does not compile is found', async function () {
    this.timeout(60_000);
    if (found.length === 0) skipBecause(this, 'there is no compiler of OpenACC on this machine');
    const broken: readonly AccJob[] = [
      { name: 'broken.c', text: 'void f(void) {\n  #pragma acc parallel loop gang(\n  for (;;) }\n' },
      { name: 'broken.f90', text: '!$acc parallel loop gangg\ndo i = 1\nend\n' },
    ];
    const failures = await compileAcc(broken, found);
    strictEqual(
      failures.length,
      found.filter(({ languages }) => languages.includes('c')).length +
        found.filter(({ languages }) => languages.includes('free')).length,
    );
  });
});

describe('directives resolved for NVIDIA', () => {
  const cases: readonly (readonly [Parameters<typeof resolveForNvidia>[1], string, string])[] = [
    [
      'c',
      '#pragma acc parallel loop gang device_type(nvidia) vector_length(32) num_workers(4) device_type(*) vector_length(64)',
      '#pragma acc parallel loop gang vector_length(32) num_workers(4)',
    ],
    ['c', '#pragma acc loop vector(128) device_type(NVIDIA, radeon) vector(32)', '#pragma acc loop vector(32)'],
    ['c', '#pragma acc loop gang dtype(host) seq', '#pragma acc loop gang'],
    ['c', '#pragma acc loop dtype(host) seq device_type(*) gang', '#pragma acc loop gang'],
    [
      'c',
      '#pragma acc data copyin(readonly: a[0:n]) copyout(zero: b) async(1) if(n > 3)',
      '#pragma acc data copyin( a[0:n]) copyout( b) if(n > 3)',
    ],
    [
      'c',
      '#pragma acc parallel loop collapse(force:2) gang(dim:1) self(n < 9) num_gangs(8, 4) vector(32)',
      '#pragma acc parallel loop collapse(2) gang num_gangs(8) vector',
    ],
    ['c', '#pragma acc kernels loop worker(4) vector(32)', '#pragma acc kernels loop worker(4) vector(32)'],
    ['c', '#pragma acc wait(devnum:0:queues:1, 2) async(3) if(n)', '#pragma acc wait(1, 2) async(3)'],
    ['c', '  #pragma acc init device_type(nvidia)', ''],
    [
      'c',
      '#pragma acc parallel \\\n  device_type(nvidia) \\\n  num_workers(4) // four\nx',
      '#pragma acc parallel num_workers(4)\n\n\nx',
    ],
    [
      'c',
      'double t[9]; void f(const double *restrict a, int b[][4], float (*c)[8]) {\n#pragma acc data present(a, b, c, t) copy(a)',
      'double t[9]; void f(const double *restrict a, int b[][4], float (*c)[8]) {\n#pragma acc data present(a[0:1], b[0:1], c[0:1], t) copy(a)',
    ],
    ['c', '#pragma omp parallel', '#pragma omp parallel'],
    [
      'free',
      '  !$acc parallel loop & ! why\n  !$acc& device_type(nvidia) vector_length(32)\n',
      '  !$acc parallel loop vector_length(32)\n\n',
    ],
    ['free', '!$ACC END PARALLEL', '!$ACC END PARALLEL'],
    [
      'fixed',
      '!$acc parallel loop\n!$acc&device_type(nvidia) vector_length(32)',
      '!$acc  parallel loop vector_length(32)\n',
    ],
  ];
  for (const [language, given, wanted] of cases)
    it(given.split('\n')[0]!, () => strictEqual(resolveForNvidia(given, language).text, wanted));
  it('says what it changed', () =>
    deepStrictEqual(
      resolveForNvidia('#pragma acc wait if(x)\n#pragma acc loop device_type(nvidia) gang\n', 'c').resolved,
      ['if on wait', 'device_type'],
    ));
});
