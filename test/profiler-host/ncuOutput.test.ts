/** What ncu prints, read back from recorded logs, cut at every place; and the command that it is given. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ncuCommand } from '../../profiler/src/collect/ncuCommand';
import type { ReplayMode } from '../../profiler/src/collect/ncuCommand';
import { readNcuOutput } from '../../profiler/src/collect/ncuOutput';
import type { NcuEvent } from '../../profiler/src/collect/ncuOutput';
import { problemOfRun } from '../../profiler/src/collect/ncuProblem';
import { architectureStep } from '../../profiler/src/preflight/checks';
import type { NcuFacts } from '../../profiler/src/preflight/probe';

const log = (name: string) => readFileSync(join(__dirname, '../../tools/replay-ncu/logs', `${name}.log`), 'utf8');

function read(text: string, piece = text.length) {
  const events: NcuEvent[] = [];
  const reader = readNcuOutput((event) => events.push(event));
  for (let at = 0; at < text.length; at += piece) reader.feed(text.slice(at, at + piece));
  return { summary: reader.end(), events };
}

describe('the output of ncu', () => {
  it("kernels with their passes, the program's own words apart", () => {
    const { summary, events } = read(log('corners'));
    assert.deepEqual(
      summary.kernels.map((kernel) => kernel.name),
      ['nested', 'outofline', 'templated', 'templated', 'local_and_atomic', 'two_paths', 'nested', 'two_paths'],
    );
    assert.ok(summary.kernels.every((kernel) => kernel.passes === 34));
    assert.equal(
      events
        .filter((event) => event.what === 'program')
        .map((event) => event.text)
        .join('')
        .trim(),
      'done',
    );
    assert.equal(summary.wroteReport, true);
    assert.equal(summary.errors.length, 0);
  });
  it('means the same however it is cut', () => {
    const whole = read(log('corners'));
    for (const piece of [1, 2, 3, 7, 64]) {
      const cut = read(log('corners'), piece);
      assert.deepEqual(cut.summary, whole.summary);
      assert.equal(
        cut.events
          .filter((event) => event.what === 'program')
          .map((event) => event.text)
          .join(''),
        whole.events
          .filter((event) => event.what === 'program')
          .map((event) => event.text)
          .join(''),
      );
    }
  });
  it('progress goes up within a kernel and names its passes at the end', () => {
    const kernel = read(log('detailed-noimport'), 1).events.filter((event) => event.what === 'kernel');
    assert.deepEqual(
      kernel.map((event) => [event.name, event.count, event.percent, event.passes]),
      [
        ['plain(float *, int)', 1, 0, undefined],
        ['plain(float *, int)', 1, 50, undefined],
        ['plain(float *, int)', 1, 100, undefined],
        ['plain(float *, int)', 1, 100, 20],
      ],
    );
  });
  it('a line that the program did not end, names with quotes and colons, the count of -c', () => {
    const { summary, events } = read(
      'sum = 42==PROF== Profiling "a::b<"x">: 3 passes" - 0 (1/1): 0%....50%....100% - 1 pass\n',
    );
    assert.deepEqual(summary.kernels, [{ name: 'a::b<"x">: 3 passes', passes: 1 }]);
    assert.deepEqual(events[0], { what: 'program', text: 'sum = 42' });
  });
  it('a filter that matched nothing lists what there is', () => {
    assert.deepEqual(read(log('no-match')).summary.availableKernels, ['plain']);
  });
});

const gpuNine = {
  name: 'GPU Nine',
  driver: '580',
  computeCapability: '9.0',
  applicationClock: undefined,
  defaultApplicationClock: undefined,
  mig: false,
};

describe('the variable of a Makefile that names the architecture', () => {
  const step = (makefile: string) => /--build '(.*?)'/.exec(architectureStep(gpuNine, makefile))![1];
  for (const [makefile, command] of [
    ['CC = nvcc\nARCH = sm_60\n', 'make ARCH=sm_90'],
    ['GPU_ARCH?=compute_35', 'make GPU_ARCH=compute_90'],
    ['  GENCODE := -gencode arch=compute_60,code=sm_60\n', 'make GENCODE="-gencode arch=compute_90,code=sm_90"'],
    ['program:\n\tnvcc -arch=sm_60 a.cu\n', 'make ARCH=sm_90'],
    ['', 'make ARCH=sm_90'],
  ] as const)
    it(JSON.stringify(makefile), () => assert.equal(step(makefile), command));
});

describe('what a failed run means', () => {
  const problem = (text: string, more: { kernelFilter?: string; status?: number; inContainer?: boolean } = {}) =>
    problemOfRun({
      hostName: 'gpu',
      program: './a.out',
      inContainer: more.inContainer ?? false,
      kernelFilter: more.kernelFilter,
      gpu: gpuNine,
      status: more.status ?? 1,
      summary: read(text).summary,
      programText: '',
      allText: text,
    });
  const cases: [string, string, string, RegExp][] = [
    ['permission', 'permission', log('refused'), /NVreg_RestrictProfilingToAdminUsers=0/],
    [
      'a virtualised GPU',
      'ncu-failed',
      '==ERROR== Failed to initialize the profiler: LibraryNotLoaded\n',
      /host with direct access to the GPU/,
    ],
    ['no sections', 'ncu-failed', '==ERROR== No section files found in search paths:\n/a\n/b\n', /--ncu/],
    ['no program', 'no-program', log('missing-program'), /--program/],
    [
      'counters taken',
      'ncu-failed',
      '==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.\n',
      /dcgmi/,
    ],
    [
      'a crash',
      'program-failed',
      '==PROF== Connected to process 1 (/a)\n==ERROR== The application returned an error code (11).\n',
      /by hand/,
    ],
    [
      'a program for other GPUs',
      'program-failed',
      '==PROF== Connected to process 1 (/a)\nCUDA error: no kernel image is available for execution on the device\n==WARNING== No kernels were profiled.\n',
      /^Build for GPU Nine: --flags "-arch=sm_90" with nvcc, or in your build \(--build 'make ARCH=sm_90'/,
    ],
    ['anything else', 'ncu-failed', '==ERROR== Something new\n', /by hand/],
    ['a full disk', 'host-disk-full', '==ERROR== Failed to save report: No space left on device\n', /--scratch/],
  ];
  for (const [name, kind, text, next] of cases) {
    it(name, () => {
      const found = problem(text);
      assert.equal(found.kind, kind);
      assert.match(found.nextStep, next);
    });
  }
  it('permission in a container', () =>
    assert.match(problem(log('refused'), { inContainer: true }).nextStep, /--cap-add=SYS_ADMIN/));
  it('a filter that matched nothing, although ncu ended with 0', () => {
    const found = problem(log('no-match'), { kernelFilter: 'regex:axpy', status: 0 });
    assert.equal(found.kind, 'no-kernels');
    assert.match(found.message, /regex:axpy/);
    assert.match(found.nextStep, /It has plain;/);
  });
  it('a program without kernels', () =>
    assert.match(
      problem('==PROF== Connected to process 1 (/a)\n==WARNING== No kernels were profiled.\n', { status: 0 }).message,
      /without launching a kernel/,
    ));
});

describe('the command for ncu', () => {
  const ncu = (
    options: string[],
    sections = ['LaunchStats', 'SourceCounters', 'SpeedOfLight', 'InstructionStats'],
  ): NcuFacts => ({ path: '/opt/ncu', version: '2025.3.1', title: '', sections, options });
  const choice = { mostKernels: 40, clocks: 'none' as const, arguments: ['-n', 'a b'] };
  it('from 2025.4 on names the ending, since what has none may be written compressed', () => {
    const exported = (version: string) => ncuCommand({ ...ncu([]), version }, './a.out', '/tmp/r', choice)[2];
    const boost = ncuCommand({ ...ncu([]), version: '2026.3.1' }, './a.out', '/tmp/r', { ...choice, clocks: 'boost' });
    assert.equal(boost[boost.indexOf('--clock-control') + 1], 'boost');
    assert.deepEqual(['2019.5.0', '2025.3.1', '2025.4.0', '2026.3.1'].map(exported), [
      '/tmp/r',
      '/tmp/r',
      '/tmp/r.ncu-rep',
      '/tmp/r.ncu-rep',
    ]);
  });
  const sections = '--section SourceCounters --section LaunchStats --section SpeedOfLight';
  it('of today: only the sections that are there, the first launch of each shape', () => {
    const expected =
      '/opt/ncu --export /tmp/r --force-overwrite --target-processes all --import-source yes --clock-control none ' +
      `${sections} --kernel-name regex:axpy --filter-mode per-launch-config --launch-count 1 ./a.out -n`;
    assert.deepEqual(ncuCommand(ncu([]), './a.out', '/tmp/r', { ...choice, kernel: 'regex:axpy' }), [
      ...expected.split(' '),
      'a b',
    ]);
  });
  it('of before: without the options that its help does not name', () => {
    const command = ncuCommand(ncu(['--kernel-regex', '--launch-count']), './a.out', '/tmp/r', {
      ...choice,
      kernel: 'regex:axpy',
    });
    const expected = `${sections} --kernel-regex axpy --launch-count 40 ./a.out -n`;
    assert.deepEqual(command.slice(4), [...expected.split(' '), 'a b']);
  });
  it('repeats the program, or nothing, where asked', () => {
    const measured = (replay: ReplayMode, metrics?: string[]) =>
      ncuCommand(ncu([]), 'a', 'r', { ...choice, replay, ...(metrics && { metrics }) })
        .join(' ')
        .match(/--clock-control none (.*) --filter-mode/)![1];
    assert.match(measured('application')!, /^--replay-mode application --section SourceCounters /);
    // With a section beside the samples ncu 2025.3 makes three passes on an H100; without, one.
    const samples = '--metrics group:smsp__pcsamp_warp_stall_reasons';
    assert.equal(measured('single-pass'), `--warp-sampling-max-passes 1 ${samples}`);
    const older = ncu(['--clock-control', '--filter-mode', '--sampling-max-passes']);
    assert.match(
      ncuCommand(older, 'a', 'r', { ...choice, replay: 'single-pass' }).join(' '),
      new RegExp(` --sampling-max-passes 1 ${samples} `),
    );
    assert.match(measured('single-pass', ['gpu__time_duration.sum'])!, /--metrics gpu__time_duration\.sum$/);
  });
  it('a full name is matched as one', () => {
    assert.deepEqual(
      ncuCommand(ncu([]), 'a', 'r', { ...choice, kernel: 'f<int>(int)' })
        .join(' ')
        .match(/--kernel-name-base demangled --kernel-name \S+/)?.[0],
      '--kernel-name-base demangled --kernel-name f<int>(int)',
    );
  });
});
