/** Everything that goes wrong on the way to a GPU host, on a real sshd on loopback with a real ssh and the recorded ncu: one clear message, nothing left on either side, earlier results untouched. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type {
  ProfileEvent,
  ProfileOptions,
  ProfileRequest,
  ProfileResult,
} from '../../profiler/src/session/profileSession';
import { profile } from '../../profiler/src/session/profileSession';
import type { ReplayMode } from '../../profiler/src/collect/ncuCommand';
import { openHost } from '../../profiler/src/transport/openHost';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import type { ProblemKind, Stage } from '../../profiler/src/transport/problem';
import { startSshd, whyNoSshd } from './privateSshd';
import type { PrivateSshd } from './privateSshd';
import { makeReplayHost } from './replayFolder';
import type { ReplayHost } from './replayFolder';
import { inTurn } from '../support/depth';
import { skipBecause } from '../support/skipBecause';

/** Makes a program without a compiler: what it is does not matter to the recorded ncu. */
const makeProgram = (body: string) => `printf '%s\\n' '#!/bin/sh' '${body}' >prog && chmod +x prog`;

describe('faults on the way to a host, on a real sshd', function () {
  const itInTurn = inTurn(3);
  this.timeout(60_000);
  let sshd: PrivateSshd;
  let host: ReplayHost;
  let earlier: Map<string, string>;

  before(async function () {
    const missing = whyNoSshd();
    if (missing) {
      skipBecause(this, missing);
    }
    host = makeReplayHost();
    sshd = await startSshd({ PATH: `${host.tools}:${process.env['PATH']}`, WARPLENS_TEST: host.mark });
    const first = await profile(request({}));
    assert.equal(first.step.label, 'baseline');
    assert.deepEqual(await host.leftBehind(), []);
    earlier = stored();
  });
  after(() => {
    sshd?.stop();
    host?.remove();
  });
  beforeEach(() => host.play('corners'));
  afterEach(async () => {
    assert.deepEqual(await host.leftBehind(), [], 'left behind on the host');
    for (const [name, content] of earlier) assert.equal(stored().get(name), content, `${name} changed`);
    assert.deepEqual(
      [...stored().keys()].filter((name) => name.endsWith('.part')),
      [],
      'left behind here',
    );
  });

  function stored(): Map<string, string> {
    const files = readdirSync(host.store, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      files
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [relative(host.store, path), readFileSync(path, 'latin1')]),
    );
  }

  interface Changes {
    readonly destination?: string;
    readonly command?: string;
    readonly body?: string;
    readonly kernel?: string;
    readonly replay?: ReplayMode;
    readonly store?: string;
    readonly scratchIn?: string;
    readonly timeLimitSeconds?: number;
    readonly mostKernels?: number;
    readonly ncu?: string;
    readonly parameters?: string;
    readonly program?: string;
    readonly folder?: string;
    readonly launcher?: readonly string[];
    readonly keep?: boolean;
  }

  function request(changes: Changes): ProfileRequest {
    return {
      host: {
        destination: changes.destination ?? 'good',
        sshConfig: sshd.config,
        scratchIn: changes.scratchIn ?? host.scratchIn,
        launcher: changes.launcher,
      },
      build: {
        files: [],
        flags: [],
        folder: changes.folder ?? host.project,
        command: changes.command ?? makeProgram(changes.body ?? 'exit 0'),
        program: changes.program ?? 'prog',
      },
      collect: {
        kernel: changes.kernel,
        replay: changes.replay,
        mostKernels: changes.mostKernels ?? 50,
        timeLimitSeconds: changes.timeLimitSeconds ?? 60,
        clocks: 'none',
        patienceSeconds: 2,
        arguments: [],
      },
      store: changes.store ?? host.store,
      ncu: changes.ncu,
      driverParameters: changes.parameters ?? host.parameters,
      keep: changes.keep,
    };
  }

  /** Profiles, and takes the store as it is then for what must not change. */
  async function succeeds(changes: Changes, options: ProfileOptions = {}): Promise<ProfileResult> {
    const result = await profile(request(changes), options);
    for (const [name, content] of earlier)
      if (name !== 'steps.json') assert.equal(stored().get(name), content, `${name} changed`);
    earlier = stored();
    return result;
  }

  /** Profiles, expects a problem of this kind and stage, and looks at its message. */
  async function fails(
    kind: ProblemKind,
    stage: Stage,
    message: RegExp,
    changes: Changes,
    onEvent?: (event: ProfileEvent) => void,
    signal?: AbortSignal,
  ): Promise<ProfileProblem> {
    let problem: unknown;
    try {
      await profile(request(changes), { onEvent, signal });
    } catch (error) {
      problem = error;
    }
    assert.ok(problem instanceof ProfileProblem, `expected a problem, got ${String(problem)}`);
    assert.equal(
      `${problem.kind} in ${problem.stage}: ${message.test(problem.message) ? 'as expected' : problem.message}`,
      `${kind} in ${stage}: as expected`,
    );
    assert.ok(problem.nextStep.length > 10, 'a next step');
    assert.doesNotMatch(problem.message + problem.nextStep, /\n|\bat .*\.ts:\d+|undefined/);
    return problem;
  }

  it('host down', () => fails('host-unreachable', 'reach', /its ssh port does not answer/, { destination: 'down' }));
  it('no such host', () => fails('host-unreachable', 'reach', /Unknown host/, { destination: 'no-such-host.invalid' }));
  it('wrong key', () =>
    fails('not-authorised', 'reach', /did not accept any of your keys/, { destination: 'wrong-key' }));
  it('unknown host key', () =>
    fails('host-key', 'reach', /is unknown on this machine/, { destination: 'unknown-key' }));
  it('changed host key', () => fails('host-key', 'reach', /has changed/, { destination: 'changed-key' }));
  it('a destination that ssh would take for an option', () =>
    fails('bad-setting', 'reach', /^Invalid host /, { destination: '-oProxyCommand=true' }));
  it('no scratch folder', () =>
    fails('no-scratch', 'reach', /No folder could be created in \/proc\/nowhere/, { scratchIn: '/proc/nowhere' }));

  itInTurn('connection cut in the build', () =>
    fails(
      'connection-lost',
      'build',
      /connection to good was lost/,
      { command: 'echo started; sleep 300 & setsid sleep 301; sleep 302' },
      (event) => {
        if (event.what === 'build-output' && event.text.includes('started')) sshd.cutConnections();
      },
    ),
  );
  itInTurn('connection cut in the run', () => {
    host.play('run-program');
    return fails(
      'connection-lost',
      'collect',
      /connection to good was lost/,
      { body: 'echo started; sleep 300 & setsid sleep 301; sleep 302' },
      (event) => {
        if (event.what === 'ncu' && event.event.what === 'program' && event.event.text.includes('started'))
          sshd.cutConnections();
      },
    );
  });
  itInTurn('connection cut in the copy back', () => {
    host.play('huge');
    let cut = false;
    return fails('connection-lost', 'fetch', /connection to good was lost/, {}, (event) => {
      if (event.what === 'fetched' && !cut) {
        cut = true;
        sshd.cutConnections();
      }
    });
  });

  it('no ncu', () => fails('tool-missing', 'preflight', /ncu was not found on good/, { ncu: '/nowhere/ncu' }));
  it('no section files', () => {
    host.play('no-sections');
    return fails('ncu-failed', 'preflight', /finds no section files/, {});
  });
  itInTurn('permission refused, known before the run', async () => {
    writeFileSync(`${host.parameters}-closed`, 'Something: 1\nRmProfilingAdminOnly: 1\n');
    // Root may all the same; a container of a cloud provider has a root without the capability.
    const noAdmin = spawnSync('setpriv', ['--bounding-set=-sys_admin', 'true']).status === 0;
    const isAdmin = process.getuid?.() === 0;
    if (isAdmin && !noAdmin) return;
    await fails('permission', 'preflight', /Only root may read the GPU counters/, {
      parameters: `${host.parameters}-closed`,
      ...(isAdmin && { launcher: ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'] }),
    });
  });
  itInTurn('permission refused by the run', async () => {
    host.play('refused');
    const problem = await fails('permission', 'collect', /ERR_NVGPUCTRPERM/, {});
    assert.match(problem.nextStep, /NVreg_RestrictProfilingToAdminUsers=0|--cap-add=SYS_ADMIN/);
  });
  itInTurn('a build for GPUs that the toolkit does not know', async () => {
    writeFileSync(join(host.project, 'Makefile'), 'SMS = sm_60\n');
    const problem = await fails('build-failed', 'build', /Unsupported gpu architecture 'compute_60'/, {
      command: 'echo "nvcc fatal   : Unsupported gpu architecture \'compute_60\'" >&2; exit 1',
    });
    assert.match(problem.nextStep, /--build 'make SMS=sm_90'/);
  });
  itInTurn('a program with kernels that wait for other GPUs: they are left out', async () => {
    const { step, notes } = await succeeds({ body: '# ncclDevKernel_AllReduce' });
    assert.match(step.collectCommand, /'--kernel-name' 'regex:\^\(\?!nccl\)\.\*'/);
    assert.match(notes.join('\n'), /^Kernels of NCCL were not measured/);
    assert.doesNotMatch((await succeeds({ body: '# ncclDevKernel', kernel: 'nested' })).notes.join('\n'), /NCCL/);
  });
  itInTurn('a single pass: more passes than one are said', async () => {
    const { step, notes } = await succeeds({ replay: 'single-pass' });
    assert.match(step.collectCommand, /'--metrics' 'group:smsp__pcsamp_warp_stall_reasons'/);
    assert.match(notes.join('\n'), /ncu ran nested 34 times although a single pass was requested/);
  });
  itInTurn('program crashes', () => {
    host.play('run-program');
    return fails('program-failed', 'collect', /The program ended with a segmentation fault/, {
      body: 'kill -s SEGV $$',
    });
  });
  itInTurn('program fails', () => {
    host.play('run-program');
    return fails('program-failed', 'collect', /The program ended with exit status 7/, {
      body: 'echo no such input file >&2; exit 7',
    });
  });
  itInTurn('program is not a program', () => {
    host.play('missing-program');
    return fails('no-program', 'collect', /is not a program that good can run/, {});
  });
  itInTurn('program never ends', async () => {
    host.play('run-program');
    await fails('time-limit', 'collect', /did not end within 1 s/, {
      body: 'trap "" INT; sleep 300',
      timeLimitSeconds: 1,
    });
  });
  itInTurn('program never ends, but two kernels were measured by then', async () => {
    host.play('endless');
    const result = await succeeds({ timeLimitSeconds: 2 });
    assert.match(result.notes.join('\n'), /ended after 2 s/);
    assert.equal(result.collected.kernels.length, 2);
  });
  itInTurn('the same, with a program that does not listen', async () => {
    host.play('interrupted');
    const result = await succeeds({ timeLimitSeconds: 1 });
    assert.equal(result.collected.kernels.length, 2);
  });
  itInTurn('more kernels than asked for', async () => {
    host.play('endless');
    const result = await succeeds({ mostKernels: 2 });
    assert.match(result.notes.join('\n'), /ended after 2 kernels/);
  });
  itInTurn('kernel filter that matches nothing (ncu ends with 0)', async () => {
    const problem = await fails('no-kernels', 'collect', /No kernel of the program matches nosuch/, {
      kernel: 'nosuch',
    });
    assert.match(problem.nextStep, /It has plain;/);
  });
  itInTurn('report cut off', async () => {
    host.play('truncated');
    await fails('report-truncated', 'fetch', /The report that ncu wrote is damaged/, {});
  });
  itInTurn('build fails', () =>
    fails('build-failed', 'build', /The build failed: kernel.cu:3:7: no such thing/, {
      command: 'echo "kernel.cu:3:7: error: no such thing" >&2; exit 2',
    }),
  );
  itInTurn('build command not found', () =>
    fails('build-failed', 'build', /was not found on good/, { command: 'no-such-make all' }),
  );
  itInTurn('build leaves no program', () =>
    fails('no-program', 'build', /did not produce elsewhere/, { program: 'elsewhere' }),
  );
  itInTurn('launcher that is not there', () =>
    fails('launcher', 'preflight', /`no-such-launcher` did not start a command/, { launcher: ['no-such-launcher'] }),
  );
  itInTurn('launcher that closes standard input', () =>
    fails('launcher', 'preflight', /does not forward standard input/, {
      launcher: ['sh', '-c', 'exec "$@" </dev/null', 'quiet'],
    }),
  );
  itInTurn('launcher that works', async () => {
    const result = await succeeds({ launcher: ['env', 'GREETING=it\'s "$HOME"'] });
    assert.equal(result.measured.kernels.length, 8);
  });

  for (const stage of ['reach', 'preflight', 'build', 'collect', 'fetch'] as const) {
    itInTurn(`cancelled in: ${stage}`, () => {
      host.play(stage === 'collect' ? 'run-program' : stage === 'fetch' ? 'huge' : 'corners');
      const controller = new AbortController();
      const changes: Changes =
        stage === 'build'
          ? { command: 'echo started; sleep 300 & setsid sleep 301; sleep 302' }
          : { body: 'echo started; sleep 300 & setsid sleep 301; sleep 302' };
      return fails(
        'cancelled',
        stage,
        /^Cancelled during/,
        changes,
        (event) => {
          const now =
            stage === 'build'
              ? event.what === 'build-output'
              : stage === 'collect'
                ? event.what === 'ncu' && event.event.what === 'program'
                : stage === 'fetch'
                  ? event.what === 'fetched'
                  : event.what === 'stage' && event.stage === stage;
          if (now) setTimeout(() => controller.abort(), stage === 'reach' || stage === 'preflight' ? 20 : 0);
        },
        controller.signal,
      );
    });
  }
  // From before the socket's folder is made to after the keeper's answer: whichever the cancelling crosses, it is heard.
  for (const milliseconds of [0, 1, 10, 80, 200]) {
    itInTurn(`cancelled ${milliseconds} ms after the connection is asked for`, async () => {
      const controller = new AbortController();
      const choice = { destination: 'good', sshConfig: sshd.config, scratchIn: host.scratchIn };
      const opening = openHost(choice, controller.signal);
      if (milliseconds === 0) controller.abort();
      else setTimeout(() => controller.abort(), milliseconds);
      const opened = await opening.catch((error: unknown) => {
        assert.ok(error instanceof ProfileProblem && error.kind === 'cancelled', String(error));
      });
      await opened?.close();
    });
  }
  itInTurn('cancelled in: send', async () => {
    const big = join(host.project, 'big');
    mkdirSync(big);
    spawnSync('truncate', ['-s', '3G', join(big, 'data')]);
    try {
      const controller = new AbortController();
      await fails(
        'cancelled',
        'send',
        /^Cancelled during sending/,
        {},
        (event) => {
          if (event.what === 'stage' && event.stage === 'build') setTimeout(() => controller.abort(), 800);
        },
        controller.signal,
      );
    } finally {
      rmSync(big, { recursive: true });
    }
  });

  describe('disk full', () => {
    const mounts: string[] = [];
    function smallDisk(name: string, megabytes: number): string | undefined {
      const folder = join(host.tools, name);
      mkdirSync(folder);
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status !== 0)
        return undefined;
      mounts.push(folder);
      return folder;
    }
    afterEach(() => {
      for (const folder of mounts.splice(0)) {
        assert.deepEqual(
          readdirSync(folder).filter((name) => name.startsWith('warplens.') || name.endsWith('.part')),
          [],
        );
        spawnSync('umount', [folder]);
      }
    });
    itInTurn('on the host, seen before the run', async function () {
      const scratchIn = smallDisk('tiny', 4);
      if (!scratchIn) skipBecause(this, 'no disk can be mounted without the right to');
      await fails('host-disk-full', 'preflight', /Only \d MB are free/, { scratchIn });
    });
    itInTurn('on the host, while sources are sent', async function () {
      const scratchIn = smallDisk('small', 20);
      if (!scratchIn) skipBecause(this, 'no disk can be mounted without the right to');
      const folder = join(host.tools, 'large-project');
      mkdirSync(folder);
      writeFileSync(join(folder, 'data'), Buffer.alloc(30 << 20, 1));
      await fails('host-disk-full', 'send', /could not be written to/, { scratchIn, folder });
    });
    itInTurn('on the host, while ncu writes the report', async function () {
      const scratchIn = smallDisk('full', 20);
      if (!scratchIn) skipBecause(this, 'no disk can be mounted without the right to');
      await fails('host-disk-full', 'collect', /The disk of good is full/, {
        scratchIn,
        command: `${makeProgram('exit 0')}; dd if=/dev/zero of=filler bs=1M count=40 2>/dev/null; true`,
      });
    });
    itInTurn('here, while the report is copied', async function () {
      const store = smallDisk('store', 1);
      if (!store) skipBecause(this, 'no disk can be mounted without the right to');
      await fails('local-disk', 'store', /This machine has no space/, { store });
    });
  });

  it('a store that may not be written', async () => {
    await fails('local-disk', 'store', /cannot be written/, { store: join(host.parameters, 'below-a-file') });
  });

  it('keeps the folder on the host when asked to, and nothing else', async () => {
    let kept = '';
    await succeeds({ keep: true }, { onEvent: (event) => (kept = event.what === 'kept' ? event.folder : kept) });
    assert.ok(kept.startsWith(host.scratchIn));
    assert.ok(readdirSync(kept).includes('report.ncu-rep'));
    rmSync(kept, { recursive: true });
  });

  it('arguments reach a program as they are', async () => {
    const connection = await openHost({ destination: 'good', sshConfig: sshd.config, scratchIn: host.scratchIn });
    try {
      const nasty = [
        'a b',
        "it's",
        '"q"',
        '$HOME',
        '`id`',
        '\\',
        '*',
        '!x',
        '-n',
        '--',
        '',
        'new\nline',
        'ünï ✓ 日本',
        '#',
        ';&|<>()',
        '\t',
        '%s',
        '~',
        '\u0001\u001e\u001f',
      ];
      const directory = `${connection.scratch}/it's a "folder" $HOME -n`;
      await connection.run(['mkdir', directory], { stage: 'build' });
      const outcome = await connection.run(['printf', '[%s]\\0', ...nasty], {
        stage: 'build',
        directory,
        environment: { VALUE: "it's $HOME" },
      });
      assert.equal(outcome.output, nasty.map((word) => `[${word}]\0`).join(''));
      await connection.send({ text: 'content\n' }, `${directory}/-f 'x' é`, 'send');
      const read = await connection.run(['cat', `${directory}/-f 'x' é`], { stage: 'build' });
      assert.equal(read.output, 'content\n');
    } finally {
      assert.equal(await connection.close(), 'removed');
    }
  });

  it('several commands at once share one connection', async () => {
    const connection = await openHost({ destination: 'good', sshConfig: sshd.config, scratchIn: host.scratchIn });
    try {
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map((number) =>
          connection.run(['sh', '-c', 'echo "$1 $SSH_CONNECTION"', 'sh', String(number)], { stage: 'build' }),
        ),
      );
      assert.deepEqual(
        outcomes.map((outcome) => outcome.output[0]),
        ['1', '2', '3', '4'],
      );
      assert.equal(new Set(outcomes.map((outcome) => outcome.output.slice(2))).size, 1);
    } finally {
      await connection.close();
    }
  });
});
