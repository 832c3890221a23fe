// Kept results and worker threads of `warplens check`: the same words as without them, and nothing that is out of date.
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSettings, FileResult } from '../../cli/src/checking';
import { openResultCache } from '../../cli/src/resultCache';
import { cacheFolder } from '../../server/src/start';
import { digestOf } from '../../server/src/workspace/observedFiles';
import { cacheOfTests, runCommand, writeFiles, type Said } from '../support/commandLine';
import { bundleOf } from '../support/bundles';

const kernelOf = (stride: string): string =>
  `__global__ void thin(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[${stride} * i];\n}\n`;

describe('kept results of a check', function () {
  this.timeout(60_000);
  let folder: string;
  let cache: string;
  cacheOfTests((path, results) => {
    folder = path;
    cache = results;
  });

  const write = (files: Parameters<typeof writeFiles>[1]): void => writeFiles(folder, files);
  const check = (...args: string[]): Promise<Said> => runCommand('check', folder, ...args);
  const keptFiles = (): string[] =>
    readdirSync(join(cache, 'warplens'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(cache, 'warplens', name))
      .filter((path) => statSync(path).isFile());
  /** Changes the kept result without breaking it: the report then shows that it was used. */
  function forge(): void {
    for (const path of keptFiles()) {
      const body = readFileSync(path, 'utf8').split('\n')[1]!.replaceAll('Neighbouring threads', 'FORGED threads');
      writeFileSync(path, `${digestOf(body)}\n${body}`);
    }
  }

  it('are reported again while nothing has changed, and only then', async () => {
    write({
      'a.cu': `#include "stride.h"\n${kernelOf('STRIDE')}void run(const float *in, float *out) { thin<<<512, 256>>>(in, out); }\n`,
      'stride.h': '#define STRIDE 2\n',
      'b.cuh': kernelOf('3').replace('thin', 'other'),
    });
    const first = await check();
    match(first.out, /2\.0×/);
    deepStrictEqual(await check(), first);
    forge();
    match((await check()).out, /FORGED/, 'kept results are used');
    ok(!(await check('--no-cache')).out.includes('FORGED'));
    ok(!(await check('--gpu', 'A100')).out.includes('FORGED'), 'other settings are another question');
    // A header that it includes, a file that comes to stand where an include leads, a new file that launches a kernel.
    write({ 'stride.h': '#define STRIDE 4\n' });
    const second = await check();
    match(second.out, /4\.0×/);
    ok(!/FORGED.*\n.*STRIDE/.test(second.out));
    forge();
    write({ 'main.cu': '#include "b.cuh"\nvoid g(const float *in, float *out) { other<<<512, 16>>>(in, out); }\n' });
    ok(!/b\.cuh.*FORGED/.test((await check()).out), 'who launches its kernels counts');
  });
  it('keep a gain that nothing limits', async () => {
    write({ 'a.cu': '__device__ float root(float x) { return 1.f / sqrtf(x); }\n' });
    const first = await check('--format', 'json');
    const gains = (JSON.parse(first.out) as { findings: { gain?: { most?: number } }[] }).findings.map(
      ({ gain }) => gain,
    );
    ok(
      gains.some((gain) => gain && gain.most === undefined),
      JSON.stringify(gains),
    );
    deepStrictEqual(await check('--format', 'json'), first);
  });
  it('follow headers that come later, and those that shade others', async () => {
    write({ 'p/a.cu': `#include "gone.h"\n${kernelOf('STRIDE')}`, 'p/Makefile': 'all:\n' });
    match((await check()).err, /p\/a\.cu:1:1: note: "gone\.h" was not found/);
    match((await check()).err, /"gone\.h" was not found/, 'kept results include the missing header');
    write({ 'p/inc/gone.h': '#define STRIDE 3\n' });
    const found = await check();
    ok(!found.err.includes('not found'));
    match(found.out, /3\.0×/);
    write({ 'p/gone.h': '#define STRIDE 4\n' });
    match((await check()).out, /4\.0×/, 'the nearer header is the one that is included now');
  });
  it('tell again what of a file was too much to read, by workers as well', async () => {
    const bomb = '#define D(x) x x x x\nint a = D(D(D(D(D(D(D(D(D(D(D(D(D(1)))))))))))));\n';
    const files: Record<string, string> = {};
    for (let at = 0; at < 14; at++) files[`k${at}.cu`] = kernelOf('2').replace('thin', `thin${at}`);
    write({ ...files, 'k7.cu': bomb + files['k7.cu']! });
    const first = await check('--jobs', '1');
    match(first.err, /k7\.cu: Warplens read only a part of this file: macros expand/);
    strictEqual(first.err.match(/only a part/g)?.length, 1);
    forge();
    const again = await check();
    match(again.out, /FORGED/);
    strictEqual(again.err, first.err);
    deepStrictEqual(await check('--no-cache', '--jobs', '2'), first);
  });
  it('that are damaged or truncated are computed again', async () => {
    write({ 'a.cu': kernelOf('2') });
    const first = await check();
    for (const damage of [
      (text: string) => text.slice(0, text.length / 2),
      () => '',
      () => '\u0000\u0001',
      (text: string) => text.replace('2.0', '9.0'),
      (text: string) => `${digestOf('{}')}\n{}${text.slice(0, 0)}`,
    ]) {
      for (const path of keptFiles()) writeFileSync(path, damage(readFileSync(path, 'utf8')));
      deepStrictEqual(await check(), first);
    }
  });
  it('are not kept where there is no place for them, and the check is the same', async () => {
    write({ 'a.cu': kernelOf('2') });
    const first = await check();
    writeFileSync(join(cache, 'file'), '');
    process.env['XDG_CACHE_HOME'] = join(cache, 'file');
    deepStrictEqual(await check(), first);
  });
  it('are kept by several runs at once, each seeing whole results', async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 12; at++) files[`k${at}.cu`] = kernelOf(String(2 + (at % 3))).replace('thin', `thin${at}`);
    write(files);
    const outputs = await Promise.all(
      [1, 2, 3].map(
        () =>
          new Promise<string>((resolve, reject) => {
            const child = spawn(process.execPath, [bundleOf('cli'), 'check', folder, '-f', 'json']);
            let out = '';
            child.stdout.on('data', (chunk: Buffer) => {
              out += chunk.toString();
            });
            child.on('error', reject);
            child.on('exit', () => resolve(out));
          }),
      ),
    );
    strictEqual(new Set(outputs).size, 1);
    deepStrictEqual(
      keptFiles().filter((path) => path.includes('.')),
      [],
      'nothing half written stays',
    );
    ok(outputs[0]!.includes('k11.cu'));
  });
  it('are bounded: the oldest go first', () => {
    const settings = settingsWith({});
    const place = join(cache, 'small');
    const kept = openResultCache(settings, place, 40_000);
    const result = (text: string): FileResult => ({
      findings: [],
      marked: { hot: 0, cold: 0 },
      notes: [{ line: 1, column: 1, text }],
      unread: [],
      sentences: [],
      asked: [['exists /nowhere/at-all', 'no']],
    });
    for (let at = 0; at < 20; at++) kept.put(`/p/${at}.cu`, result('x'.repeat(5000)));
    kept.trim();
    const left = readdirSync(place, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(place, name)))
      .filter((each) => each.isFile());
    ok(left.length > 0 && left.reduce((sum, { size }) => sum + size, 0) <= 40_000);
  });
  it('stand where the XDG specification puts them', () => {
    strictEqual(cacheFolder({ XDG_CACHE_HOME: '/x/cache' }), join('/x/cache', 'warplens', 'check'));
    notStrictEqual(cacheFolder({ XDG_CACHE_HOME: 'relative' }), join('relative', 'warplens', 'check'));
  });

  it('workers give the words of one thread, in the same order', async () => {
    const files: Record<string, string> = { 'deep/shared.cuh': '#define STRIDE 4\n' };
    for (let at = 0; at < 30; at++)
      files[`${['', 'deep/', 'deep/er/'][at % 3]}k${at}.cu`] =
        `#include "${['deep/', '', '../'][at % 3]}shared.cuh"\n#include "gone${at % 2}.h"\n${kernelOf(at % 5 === 0 ? '1' : 'STRIDE').replace('thin', `thin${at}`)}`;
    write(files);
    const alone = await check('--no-cache', '--jobs', '1');
    match(alone.err, /"gone0\.h" was not found; macros and types from it are unknown\. \(So in 14 more files\.\)/);
    deepStrictEqual(await check('--no-cache', '--jobs', '3'), alone);
    strictEqual((await check('--jobs', 'many')).code, 2);
    strictEqual((await check('--jobs', '0')).code, 2);
  });
});

function settingsWith(defines: Record<string, string>): CheckSettings {
  return {
    analysis: { gpu: 'auto', defines, includeDirs: [], useCompileCommands: true },
    feedback: [],
    quiet: { paths: [], below: [] },
  };
}
