/** What is profiled, from settings, memory and command lines to the profiler's request; and failures in the editor's words. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inEditorWords, problemText, remediesOf } from '../../client/src/profiling/problemWords';
import {
  commandLineOf,
  isRunnable,
  portable,
  readCommandLine,
  readConfiguration,
  replaceVariables,
  requestOf,
  storeFolder,
  titleOf,
  type Place,
  type RunConfiguration,
} from '../../client/src/profiling/runConfiguration';
import { ProfileProblem } from '../../profiler/src/transport/problem';

const place: Place = {
  root: '/home/me/project',
  file: '/home/me/project/src/k.cu',
  home: '/home/me',
  environment: { SIZE: '64' },
};
const request = (configuration: RunConfiguration, task?: Parameters<typeof requestOf>[3]) =>
  requestOf(configuration, place, '/store', task);
const problem = (part: RegExp) => (error: unknown) =>
  error instanceof ProfileProblem && error.kind === 'bad-setting' && part.test(error.message) && error.nextStep !== '';

describe('a run configuration', () => {
  it('files are built by nvcc, paths from the folder', () => {
    const { build, collect, host, series } = request({
      files: ['src/k.cu', '${file}'],
      flags: '-Iinclude "-DNAME=two words"',
      arguments: '--size ${env:SIZE}',
      host: 'local',
    });
    assert.deepEqual(build, {
      files: ['/home/me/project/src/k.cu', '/home/me/project/src/k.cu'],
      flags: ['-Iinclude', '-DNAME=two words'],
      folder: '/home/me/project',
    });
    assert.deepEqual(
      [collect.arguments, collect.mostKernels, collect.timeLimitSeconds, host.destination, series],
      [['--size', '64'], 100, 600, undefined, undefined],
    );
  });
  it('a build and its program; on another host the workspace folder is where the copy is', () => {
    const configuration: RunConfiguration = {
      name: 'bench',
      build: 'cmake --build ${workspaceFolder}/build',
      program: '${workspaceFolder}/build/bench',
      arguments: ['${relativeFile}', '${fileDirname}'],
      host: 'gpu',
      launcher: 'srun --gres=gpu:1',
      scratch: '/scratch',
    };
    const far = request(configuration);
    assert.deepEqual(
      [far.build.command, far.build.program, far.collect.arguments, far.series],
      ['cmake --build ./build', './build/bench', ['src/k.cu', 'src'], 'bench'],
    );
    assert.deepEqual(far.host, { destination: 'gpu', launcher: ['srun', '--gres=gpu:1'], scratchIn: '/scratch' });
    assert.equal(request({ ...configuration, folder: 'sub' }).build.command, 'cmake --build ../build');
    assert.equal(request({ ...configuration, host: undefined }).build.command, 'cmake --build /home/me/project/build');
    const inPlace = request({ ...configuration, inPlace: '/srv/project' });
    assert.deepEqual(
      [inPlace.build.inPlace, inPlace.build.command],
      ['/srv/project', 'cmake --build /home/me/project/build'],
    );
  });
  it('a program alone is not built; a task is what is run, or what builds', () => {
    assert.deepEqual(request({ program: './bench' }).build, {
      files: [],
      flags: [],
      folder: '/home/me/project',
      program: './bench',
      built: true,
    });
    const task = { command: 'SIZE=3 ./bench --from task', folder: '${workspaceFolder}/sub', environment: { A: '1' } };
    const run = request({ task: 'run' }, task);
    assert.deepEqual(
      [run.build.program, run.build.built, run.build.folder, run.collect.arguments, run.collect.environment],
      ['./bench', true, '/home/me/project/sub', ['--from', 'task'], { A: '1' }],
    );
    const built = request({ task: 'make', program: 'bench' }, { command: 'make -j' });
    assert.deepEqual([built.build.command, built.build.program, built.build.built], ['make -j', 'bench', undefined]);
  });
  it('says which entry does not fit, and what cannot be run', () => {
    assert.deepEqual(readConfiguration({ build: 'make', nobody: 1, launches: null }, 'x'), { build: 'make' });
    for (const [value, part] of [
      [[], /x is not an object/],
      [{ files: 'k.cu' }, /Invalid "files" in x: use a list of paths/],
      [{ environment: { A: 1 } }, /"environment"/],
      [{ environment: { 'A B': 'x' } }, /variable names/],
      [{ launches: 0 }, /whole number/],
      [{ clocks: 'fast' }, /"none", "base" or "boost"/],
    ] as const) {
      assert.throws(() => readConfiguration(value, 'x'), problem(part));
    }
    assert.throws(() => request({ arguments: ['x'] }), problem(/neither files to build/));
    assert.throws(() => request({ program: './x', arguments: '"open' }), problem(/not closed/));
    assert.throws(() => request({ program: '${command:ask}' }), problem(/Unknown variable \$\{command:ask\}/));
    assert.throws(
      () => replaceVariables('${fileBasename}', { ...place, file: undefined }),
      problem(/needs an open file/),
    );
    assert.deepEqual(
      [isRunnable({}), isRunnable({ host: 'gpu' }), isRunnable({ files: [] }), isRunnable({ task: 't' })],
      [false, false, false, true],
    );
  });
  it('is called by its name, else by what it runs', () => {
    const titles: readonly (readonly [RunConfiguration, string])[] = [
      [{ name: 'bench', build: 'make' }, 'bench'],
      [{ files: ['src/a.cu', 'b.cu'], arguments: ['x y'] }, "a.cu + b.cu 'x y'"],
      [{ build: 'make', program: './b', arguments: ['1'] }, 'make && ./b 1'],
      [{ build: 'make' }, 'make'],
      [{ task: 'run it' }, 'task run it'],
    ];
    for (const [configuration, title] of titles) assert.equal(titleOf(configuration), title);
    assert.deepEqual(portable({ files: ['/home/me/project/a.cu', '/else/b.cu'] }, place.root), {
      files: ['a.cu', '/else/b.cu'],
    });
    assert.deepEqual(
      [storeFolder('/p', ''), storeFolder('/p', 'x'), storeFolder('/p', '/abs')],
      ['/p/.warplens/profiles', '/p/x', '/abs'],
    );
  });
  it('a command line in parts, and back', () => {
    for (const line of ['./bench --size 10', "A=1 B='two words' ./bench 'it'\\''s'", 'python train.py'])
      assert.equal(commandLineOf(readCommandLine(line)), line);
    assert.deepEqual(readCommandLine('A=1 ./b "x y"'), { program: './b', arguments: ['x y'], environment: { A: '1' } });
    assert.deepEqual(readCommandLine('A=1'), { environment: { A: '1' } });
    assert.deepEqual(readCommandLine('cd sub && ./b > out'), {
      program: 'sh',
      arguments: ['-c', 'cd sub && ./b > out'],
    });
    assert.deepEqual(readCommandLine("./b 'a && b'"), { program: './b', arguments: ['a && b'] });
    assert.equal(commandLineOf(readCommandLine('cd sub && ./b')), 'cd sub && ./b');
    assert.throws(() => readCommandLine('./b "x'), problem(/not closed/));
  });
});

describe('a failed profile in the editor', () => {
  it('no next step of the profiler names an option of the command line', () => {
    // Everything that the profiler can say, as it is in its sources.
    const folders = ['build', 'collect', 'preflight', 'session', 'transport', 'trial'].map((name) =>
      join(__dirname, '../../profiler/src', name),
    );
    const texts = folders
      .flatMap((folder) =>
        readdirSync(folder).flatMap((name) =>
          [...readFileSync(join(folder, name), 'utf8').matchAll(/'((?:[^'\\\n]|\\.)*--[a-z](?:[^'\\\n]|\\.)*)'/g)].map(
            ([, text]) => text!,
          ),
        ),
      )
      .filter((text) => /^[A-Z]|^ |\w \w/.test(text) && / /.test(text) && !/^[-{]|secluded|^\s*if /.test(text));
    assert.ok(texts.length > 20, `${texts.length} texts`);
    const left = texts
      .map(inEditorWords)
      .filter((text) =>
        /(?<![\w"`(]|srun |dcgmi profile |ncu |docker |compute-sanitizer )--(?!cap-add|gres|pause|export|import)[a-z]/.test(
          text,
        ),
      );
    assert.deepEqual(left, []);
  });
  it('is one message with buttons that help', () => {
    const failure = (kind: ProfileProblem['kind'], nextStep = '') =>
      new ProfileProblem('collect', kind, 'It failed', nextStep);
    assert.equal(
      problemText(failure('no-program', 'Give it with --program.')),
      'It failed. Give it in "Warplens: Profile This Program…".',
    );
    const none = { hasMessages: false, filtered: false };
    assert.deepEqual(remediesOf(failure('build-failed'), { ...none, hasMessages: true }), [
      'problems',
      'output',
      'what',
    ]);
    assert.deepEqual(remediesOf(failure('no-kernels'), { ...none, filtered: true })[0], 'all-kernels');
    assert.deepEqual(remediesOf(failure('permission', 'See https://developer.nvidia.com/ERR_NVGPUCTRPERM).'), none), [
      'times',
      'help',
      'host',
      'output',
    ]);
    assert.deepEqual(remediesOf(failure('permission'), none), ['times', 'host', 'output']);
  });
});
