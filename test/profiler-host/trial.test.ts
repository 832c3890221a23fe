/** Whole trials on this machine and, where the way there matters, over a real ssh: copies, builds, runs, compared outputs and recorded kernel times, with nothing left behind. */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bytesSource, openReport } from '../../profiler/src/report';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import { bestOf, showBest, showTrial } from '../../profiler/src/trial/show';
import { measureVariants } from '../../profiler/src/trial/trial';
import type { TrialEvent, TrialRequest, TrialResult } from '../../profiler/src/trial/trial';
import { startSshd, whyNoSshd } from './privateSshd';
import type { PrivateSshd } from './privateSshd';
import { buildsCuda, makeReplayHost, whyNoCudaBuild } from './replayFolder';
import type { ReplayHost } from './replayFolder';
import { deep, inTurn } from '../support/depth';
import { skipBecause } from '../support/skipBecause';

const recorded = join(__dirname, '..', '..', 'samples', 'profiles');

/** The build of the tests' programs: a script that says which recorded report it is, and does what the source says. */
const buildCommand =
  'grep -q SYNTAX program.txt && { echo "program.txt:1:1: error: this does not build"; exit 1; }; { echo "#!/bin/sh"; cat program.txt; } >program && chmod +x program';

for (const where of ['this machine', 'ssh'] as const) {
  describe(`a trial on ${where}`, function () {
    this.timeout(180_000);
    let host: ReplayHost;
    let sshd: PrivateSshd | undefined;
    let source: string;
    const path = process.env['PATH'];
    const itInTurn = inTurn(3);
    const inTurnHere: typeof itInTurn = (title, test) => void (where === 'this machine' && itInTurn(title, test));
    /** What a way to the host does not change is tried without one. */
    const onlyHere = (title: string, test: Mocha.AsyncFunc): void => void (where === 'this machine' && it(title, test));
    /** A trial starts some hundred processes: `npm test` tries each way to a host, a deep run all on each of them. */
    const deepHere: typeof onlyHere = (title, test) => void (deep && onlyHere(title, test));
    const here = (title: string, test: Mocha.AsyncFunc): void =>
      void ((deep || where === 'this machine') && it(title, test));

    before(async function () {
      if (process.platform !== 'linux') skipBecause(this, 'a host runs Linux');
      const missing = where === 'ssh' ? whyNoSshd() : undefined;
      if (missing) skipBecause(this, missing);
      host = makeReplayHost();
      for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
        host.keepReport(name, readFileSync(join(recorded, `${name}.ncu-rep`)));
      host.play('named');
      const environment = { PATH: `${host.tools}:${path}`, WARPLENS_TEST: host.mark };
      if (where === 'ssh') sshd = await startSshd(environment);
      else Object.assign(process.env, environment);
      source = join(host.project, 'program.txt');
      writeFileSync(source, unchanged);
    });
    after(() => {
      process.env['PATH'] = path;
      delete process.env['WARPLENS_TEST'];
      sshd?.stop();
      host?.remove();
    });
    afterEach(async () => {
      host.play('named');
      writeFileSync(source, unchanged);
      assert.deepEqual(await host.leftBehind(), [], 'left behind');
      assert.deepEqual(
        readdirSync(host.project).sort(),
        ['kernel.cu', 'program.txt'],
        "the user's folder is as it was",
      );
    });

    const unchanged = '# replays unpadded-tile\necho "result 42"; echo "time 0.5000$(date +%N) ms"\n';
    const fixed = unchanged.replace('unpadded-tile', 'unpadded-tile.fixed');
    /** Runs long enough that what else a machine does makes no fifth of it: one run a side is held against that. */
    const steady = `${unchanged}sleep 1\n`;
    const request = (texts: Readonly<Record<string, string>>, more: Partial<TrialRequest> = {}): TrialRequest => ({
      host: { destination: sshd && 'good', sshConfig: sshd?.config, scratchIn: host.scratchIn },
      build: { files: [], flags: [], folder: host.project, command: buildCommand, program: 'program' },
      variants: [
        { name: 'unchanged', files: [] },
        ...Object.entries(texts).map(([name, text]) => ({ name, files: [{ path: source, text }] })),
      ],
      run: { arguments: [], timeLimitSeconds: 30 },
      kernel: 'transpose',
      repetitions: 2,
      driverParameters: host.parameters,
      ...more,
    });
    const kinds = (result: TrialResult) => result.variants.map(({ verdict }) => verdict?.kind);

    it('runs all forms under one path and name', async () => {
      // What textbook programs print: their own path, which the working folder and a path that the build wrote down hold as well.
      const own =
        '# replays unpadded-tile\necho "$0 starts in $PWD, really $(pwd -P)"\necho "sum 1"\necho "$0" | wc -c\n';
      writeFileSync(source, own);
      const wrong = own.replace('sum 1', 'sum 2');
      const command = `${buildCommand} && { printf 'echo built in %s\\ncat %s/program.txt | wc -l\\n' "$PWD" "$PWD" >>program; }`;
      const result = await measureVariants(
        request(
          { fixed: own.replace('unpadded-tile', 'unpadded-tile.fixed'), wrong },
          { build: { files: [], flags: [], folder: host.project, command, program: 'program' } },
        ),
      );
      const [before, fixedForm, wrongForm] = result.variants;
      assert.equal(fixedForm!.run!.output!.split('\n')[0], before!.run!.output!.split('\n')[0]);
      assert.deepEqual(kinds(result), [undefined, 'faster', 'output-differs'], showTrial(result));
      assert.deepEqual(fixedForm!.output!.leftOut, []);
      assert.deepEqual(wrongForm!.output!.difference, { line: 2, before: 'sum 1', after: 'sum 2' });
    });

    here('tells a gain from none, another output, a failure and what does not build', async () => {
      const events: TrialEvent[] = [];
      writeFileSync(source, steady);
      const result = await measureVariants(
        request({
          fixed,
          same: `${steady}# another comment\n`,
          wrong: fixed.replace('42', '43'),
          crash: `${fixed}kill -SEGV $$\n`,
          broken: 'SYNTAX\n',
        }),
        { onEvent: (event) => events.push(event) },
      );
      assert.deepEqual(
        kinds(result),
        [undefined, 'faster', 'no-gain', 'output-differs', 'fails', 'does-not-build'],
        showTrial(result),
      );
      const [before, faster, , wrong, crash, broken] = result.variants;
      assert.equal(before!.kernels[0]!.name, 'transpose');
      assert.equal(before!.kernels[0]!.time.median, 84992);
      assert.equal(before!.kernels[0]!.time.values.length, 2);
      assert.equal(before!.kernels[0]!.registers, 28);
      assert.equal(faster!.verdict!.by, 'kernel');
      assert.equal(faster!.verdict!.recommended, true);
      assert.ok(
        faster!.verdict!.gain! > 1.2 &&
          Math.abs(faster!.verdict!.gain! - 84992 / faster!.kernels[0]!.time.median) < 1e-9,
      );
      assert.match(
        faster!.verdict!.words,
        /× faster: the kernel transpose took 85 µs and takes .*\. The output is the same\./,
      );
      assert.deepEqual(faster!.output!.leftOut, [2], 'the time that the program prints');
      assert.equal(wrong!.verdict!.recommended, false);
      assert.deepEqual(wrong!.output!.difference, { line: 1, before: 'result 42', after: 'result 43' });
      assert.match(crash!.verdict!.words, /segmentation fault/);
      assert.match(broken!.verdict!.words, /program\.txt:1: this does not build/);
      assert.equal(broken!.kernels.length, 0);
      assert.equal(bestOf(result)!.best.name, 'fixed');
      assert.match(showBest(result), /^Best: fixed, .*× faster than unchanged, with the same output\./);
      assert.ok(events.some((event) => event.what === 'program-output' && event.text.includes('result 42')));
      const steps = events.filter((event) => event.what === 'step');
      assert.ok(
        steps.every(({ done, all }) => done < all),
        'no step beyond the last',
      );
    });

    inTurnHere('a slower form is not a gain, and keeps the unchanged one', async () => {
      writeFileSync(source, fixed);
      try {
        const result = await measureVariants(request({ 'without padding': unchanged }));
        assert.deepEqual(kinds(result), [undefined, 'slower']);
        assert.equal(bestOf(result), undefined);
        assert.match(showBest(result), /No other variant was measured as faster than unchanged/);
      } finally {
        writeFileSync(source, unchanged);
      }
    });

    inTurnHere("a change of the host is judged by the program's time, where the kernel takes as long", async () => {
      const slow = unchanged.replace('echo "result', 'sleep 0.4; echo "result');
      writeFileSync(source, slow);
      try {
        const result = await measureVariants(request({ hoisted: unchanged }));
        assert.deepEqual(kinds(result), [undefined, 'faster']);
        assert.equal(result.variants[1]!.verdict!.by, 'program');
        assert.match(
          result.variants[1]!.verdict!.words,
          /^The kernel takes as long as before; .*the whole program took 4\d\d ms/,
        );
      } finally {
        writeFileSync(source, unchanged);
      }
    });

    deepHere('says what cannot be compared: nothing printed, never the same twice', async () => {
      const silent = '# replays unpadded-tile\nexit 0\n';
      for (const [text, note] of [
        [silent, /prints nothing, so only its exit status was compared/],
        ['# replays unpadded-tile\ndate +%N | tr 0-9 a-j\n', /The whole output of the unchanged program varies/],
        [
          '# replays unpadded-tile\nfor i in $(seq 1 $(date +%N | tail -c 3 | sed "s/^0*//")); do echo $i; done\n',
          /prints \d+ lines? in one run and \d+ in another|prints nothing/,
        ],
      ] as const) {
        writeFileSync(source, text);
        const result = await measureVariants(
          request({ fixed: text.replace('unpadded-tile', 'unpadded-tile.fixed') }, { repetitions: 1 }),
        );
        assert.match(result.notes.join('\n'), note);
        assert.equal(result.variants[1]!.verdict!.kind, 'faster');
        assert.equal(result.variants[1]!.verdict!.recommended, false, 'nothing was compared');
      }
      writeFileSync(source, unchanged);
    });

    deepHere('bytes that are no text are compared as bytes, every run of a large output too', async () => {
      const image = (first: string, text = unchanged) => `${text}printf '\\${first}\\376\\000\\n'\n`;
      writeFileSync(source, image('377'));
      const result = await measureVariants(
        request({ same: image('377', fixed), other: image('375', fixed) }, { repetitions: 1 }),
      );
      assert.deepEqual(kinds(result), [undefined, 'faster', 'output-differs']);
      const large = (text: string, then = '') =>
        `${text.replace(/; echo "time.*/, '')}head -c 2000000 /dev/zero | tr '\\0' a\n${then}`;
      writeFileSync(source, large(unchanged));
      // The third run of this form prints something else.
      const unsteady = large(fixed, 'echo x >>count\n[ "$(wc -l <count)" -ne 3 ] || echo other\n');
      assert.deepEqual(kinds(await measureVariants(request({ same: large(fixed), unsteady }, { repetitions: 1 }))), [
        undefined,
        'faster',
        'output-differs',
      ]);
    });

    inTurnHere('a changed form that does not end, or ends its shell, is a result', async () => {
      const result = await measureVariants(
        request(
          { hangs: `${fixed}sleep 60\n`, 'kills all': `${fixed}kill -9 0\n` },
          { repetitions: 1, run: { arguments: [], timeLimitSeconds: 4 } },
        ),
      );
      assert.deepEqual(kinds(result), [undefined, 'fails', 'fails']);
      assert.match(
        result.variants[1]!.verdict!.words,
        /^The program did not end within 4 s and the unchanged program ended\./,
      );
      assert.match(result.variants[2]!.verdict!.words, /^The program was killed and the unchanged program ended\./);
    });

    deepHere("the user's own comparison decides, and numbers may differ by a tolerance", async () => {
      const rounded = fixed.replace('42', '42.0000001');
      const strict = await measureVariants(request({ rounded }, { repetitions: 1 }));
      assert.equal(strict.variants[1]!.verdict!.kind, 'output-differs');
      assert.match(strict.variants[1]!.verdict!.words, /differ by 2\.4e-9 relative at most/);
      assert.equal(
        (await measureVariants(request({ rounded }, { repetitions: 1, compare: { tolerance: 1e-6 } }))).variants[1]!
          .verdict!.kind,
        'faster',
      );
      assert.equal(
        (
          await measureVariants(
            request(
              { rounded },
              {
                repetitions: 1,
                compare: {
                  command: 'test -x "$BEFORE/program" && grep -q "result 42" "$1" && grep -q "result 42" "$2"',
                },
              },
            ),
          )
        ).variants[1]!.verdict!.kind,
        'faster',
      );
      assert.equal(
        (await measureVariants(request({ rounded }, { repetitions: 1, compare: { command: 'cmp "$1" "$2"' } })))
          .variants[1]!.verdict!.kind,
        'output-differs',
      );
      await assert.rejects(
        measureVariants(request({ rounded }, { repetitions: 1, compare: { command: 'no-such-command' } })),
        /no-such-command` could not be run/,
      );
    });

    inTurnHere('a kernel that the program never launches is not "no gain"', async () => {
      const idle = unchanged.replace('replays', 'no');
      writeFileSync(source, idle);
      const change = { other: `${idle}# changed\n` };
      const result = await measureVariants(request(change, { repetitions: 1, changedKernel: 'transpose' }));
      assert.deepEqual(kinds(result), [undefined, 'did-not-run']);
      assert.match(showTrial(result), /The changed lines did not run: the program launched no kernel transpose\./);
      // Of another kernel than the one that is timed nothing follows.
      const named = await measureVariants(request(change, { repetitions: 1, changedKernel: 'other' }));
      assert.doesNotMatch(showTrial(named), /did not run/);
    });

    inTurnHere('results that vary without the change point at a race, said once', async () => {
      const racing = '# replays unpadded-tile\necho "sum $(date +%N)"; echo done\n';
      writeFileSync(source, racing);
      const change = { one: `${racing}# one\n`, two: `${racing}# two\n` };
      const shown = showTrial(await measureVariants(request(change, { repetitions: 1 })));
      assert.deepEqual(shown.match(/^note: .*\(line 1\)\. .*racecheck/gm)?.length, 1, shown);
    });

    const countings: TrialEvent[] = [];
    const countingOf = { onEvent: (event: TrialEvent) => void (isCounting(event) && countings.push(event)) };
    const isCounting = (event: TrialEvent) => event.what === 'step' && event.text.startsWith('counting');
    /** What is said of a change in a file of a recorded program, whose lines are counted once. */
    const lines = async (name: string, kernel: string, file: string, from: string, to: string) => {
      const report = readFileSync(join(recorded, `${name}.ncu-rep`));
      host.keepReport(name, report);
      writeFileSync(source, steady.replace('unpadded-tile', name));
      const opened = await openReport(bytesSource(report));
      const text = (await opened.readSource(opened.embeddedSources.find((each) => each.path.endsWith(file))!.path))!;
      const variant = { name: 'changed', files: [{ path: join(host.project, file), text: text.replace(from, to) }] };
      const variants: TrialRequest['variants'] = [{ name: 'unchanged', files: [] }, variant];
      countings.length = 0;
      const result = await measureVariants(request({}, { variants, kernel, repetitions: 1 }), countingOf);
      assert.equal(countings.length, 1);
      const { kind, words } = result.variants[1]!.verdict!;
      return `${kind}: ${words}`;
    };
    inTurnHere('lines that did not run', async () =>
      assert.match(
        await lines('atomics.fixed', 'dotProduct', 'coalesced_reduce.h', 'int group_mask', 'group_mask'),
        /^did-not-run: The changed lines did not run: the kernel dotProduct executed none of their instructions/,
      ),
    );
    inTurnHere('what part of the kernel changed lines make', async () =>
      assert.match(
        await lines('unpadded-tile', 'transpose', 'unpadded-tile.cu', '= tile[', '= 1 * tile['),
        /^no-gain: No gain measured: .* The changed lines make \d\d\.\d % of the samples of the kernel transpose\. The output/,
      ),
    );
    inTurnHere('asks for no lines of a gain, nor where no kernel was timed', async () => {
      for (const text of [fixed, `${unchanged.replace('replays', 'no')}# changed`]) {
        writeFileSync(source, text.replace('.fixed', '').replace('# changed', ''));
        countings.length = 0;
        const result = await measureVariants(request({ changed: text }, { repetitions: 1 }), countingOf);
        assert.equal(countings.length, 0, showTrial(result));
      }
    });

    deepHere(
      "a kernel that is not launched, and counters that may not be read, leave the program's own time",
      async () => {
        const result = await measureVariants(request({ fixed: fixed.replace('replays', 'no') }));
        assert.match(
          result.notes.join('\n'),
          /The kernels of "fixed" were not timed: No kernel of the program matches transpose/,
        );
        assert.equal(result.variants[1]!.kernels.length, 0);
        writeFileSync(host.parameters, 'RmProfilingAdminOnly: 1\n');
        const runsAsRoot = process.getuid?.() === 0;
        const closed = await measureVariants(request({ fixed }, { repetitions: 1 }));
        writeFileSync(host.parameters, 'RmProfilingAdminOnly: 0\n');
        if (!runsAsRoot || closed.notes.length > 0)
          assert.match(closed.notes.join('\n'), /The kernels were not timed: Only root may read/);
      },
    );

    const problems: readonly [string, string, (text: string) => Partial<TrialRequest>, RegExp][] = [
      [
        'the unchanged program does not build',
        'SYNTAX\n',
        () => ({}),
        /The unchanged program does not build: program\.txt:1/,
      ],
      [
        'the unchanged program fails',
        'echo no input >&2; exit 3\n',
        () => ({}),
        /The unchanged program ended with exit status 3/,
      ],
      [
        'the unchanged program hangs',
        'sleep 100\n',
        () => ({ run: { arguments: [], timeLimitSeconds: 1 } }),
        /did not end within 1 s/,
      ],
      [
        'a changed file that is not built',
        unchanged,
        () => ({
          variants: [
            { name: 'unchanged', files: [] },
            { name: 'header', files: [{ path: '/elsewhere/tile.cuh', text: '' }] },
          ],
        }),
        /tile\.cuh is not part of the build/,
      ],
      [
        'a build in place',
        unchanged,
        () => ({ build: { files: [], flags: [], folder: host.project, inPlace: host.project, command: 'make' } }),
        /in copies of the sources/,
      ],
    ];
    onlyHere('a build that fails names the next step, as without a trial', async () => {
      for (const [printed, step] of [
        ["/usr/bin/ld: main.o: undefined reference to `cufftPlan1d'", /^Add -lcufft to the build/],
        ["nvcc fatal   : Unsupported gpu architecture 'compute_60'", /make ARCH=sm_90/],
        ["/usr/bin/ld: crt1.o: undefined reference to `main'", /have no main function/],
      ] as const) {
        const command = `cat <<'end'\n${printed}\nend\nexit 1`;
        const build = { files: [], flags: [], folder: host.project, command, program: 'program' };
        await assert.rejects(
          measureVariants(request({ fixed }, { build })),
          (error: unknown) => error instanceof ProfileProblem && step.test(error.nextStep),
          printed,
        );
      }
    });

    for (const [name, text, more, message] of problems) {
      here(name, async () => {
        writeFileSync(source, text);
        try {
          await assert.rejects(measureVariants(request({ fixed }, more(text))), (error: unknown) => {
            assert.ok(error instanceof ProfileProblem, String(error));
            assert.match(error.message, message);
            assert.notEqual(error.nextStep, '');
            return true;
          });
        } finally {
          writeFileSync(source, unchanged);
        }
      });
    }

    here('cancelled in a build, a run and under ncu', async () => {
      const cases: readonly [string, string, (event: TrialEvent) => boolean][] = [
        [
          'build',
          buildCommand.replace('grep', 'sleep 60; grep'),
          (event) => event.what === 'step' && event.stage === 'build',
        ],
        ['run', buildCommand, (event) => event.what === 'ran'],
        ['collect', buildCommand, (event) => event.what === 'ncu'],
      ];
      for (const [, command, when] of cases) {
        const stop = new AbortController();
        const slow = `${unchanged}[ "$(cat /proc/$PPID/comm)" = ncu ] && sleep 60; exit 0\n`;
        writeFileSync(source, slow);
        const build = { files: [], flags: [], folder: host.project, command, program: 'program' };
        await assert.rejects(
          measureVariants(request({ fixed }, { build }), {
            signal: stop.signal,
            onEvent: (event) => {
              if (when(event)) setTimeout(() => stop.abort(), 300);
            },
          }),
          (error: unknown) => error instanceof ProfileProblem && error.kind === 'cancelled',
        );
        assert.deepEqual(await host.leftBehind(), []);
      }
      writeFileSync(source, unchanged);
    });

    if (where === 'ssh') {
      it('a cut connection leaves nothing either', async () => {
        await assert.rejects(
          measureVariants(request({ fixed }), {
            onEvent: (event) => {
              if (event.what === 'ran') sshd!.cutConnections();
            },
          }),
          (error: unknown) => error instanceof ProfileProblem && error.kind === 'connection-lost',
        );
      });
    }

    inTurnHere('sources alone, by the real nvcc, with an unsaved text and a header beside', async function () {
      if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
      const folder = join(host.project, '..', 'alone');
      mkdirSync(folder, { recursive: true });
      const main = join(folder, 'main.cu');
      const header = join(folder, 'tile.cuh');
      const text =
        '#include <cstdio>\n#include "tile.cuh"\n__global__ void transpose(float* x) { x[threadIdx.x] += TILE; }\nint main() { std::printf("replays " REPORT "\\nwidth %d\\n", TILE); return 0; }\n';
      writeFileSync(main, text.replace('return 0', 'return 1'));
      writeFileSync(header, '#define TILE 32\n#define REPORT "unpadded-tile"\n');
      const result = await measureVariants(
        request(
          {},
          {
            build: { files: [main], flags: ['-std=c++17'], folder },
            variants: [
              { name: 'on screen', files: [{ path: main, text }] },
              {
                name: 'padded',
                files: [
                  { path: main, text },
                  { path: header, text: '#define TILE 32\n#define REPORT "unpadded-tile.fixed"\n' },
                ],
              },
              { name: 'undeclared', files: [{ path: main, text: text.replace('TILE; }', 'tile; }') }] },
            ],
            repetitions: 1,
          },
        ),
      );
      const [before, padded, undeclared] = result.variants;
      assert.equal(before!.build.ok && before!.build.kernels[0]!.name, 'transpose(float*)');
      assert.equal(padded!.kernels[0]!.time.median < before!.kernels[0]!.time.median, true);
      assert.equal(padded!.verdict!.kind, 'output-differs', 'it prints the name of its report');
      assert.match(undeclared!.verdict!.words, /main\.cu:3: identifier "tile" is undefined/);
      assert.deepEqual(readdirSync(folder).sort(), ['main.cu', 'tile.cuh']);
      const library = { files: [main], flags: [], folder };
      await assert.rejects(
        measureVariants(
          request(
            {},
            {
              build: library,
              variants: [{ name: 'unchanged', files: [{ path: main, text: '__global__ void k() {}\n' }] }],
            },
          ),
        ),
        (error: unknown) => error instanceof ProfileProblem && /have no main/.test(error.nextStep),
      );
    });
  });
}
