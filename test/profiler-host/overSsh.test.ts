/** From sources with headers to mapped line metrics over a real ssh, with the real nvcc where there is one; a project in a synchronised copy; hosts to choose from. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { BuildFailure } from '../../profiler/src/build/build';
import { checkHost, profile } from '../../profiler/src/session/profileSession';
import type { ProfileRequest } from '../../profiler/src/session/profileSession';
import { openHost } from '../../profiler/src/transport/openHost';
import { sshHosts } from '../../profiler/src/transport/sshHosts';
import { startSshd, whyNoSshd } from './privateSshd';
import type { PrivateSshd } from './privateSshd';
import { buildsCuda, makeReplayHost, whyNoCudaBuild } from './replayFolder';
import type { ReplayHost } from './replayFolder';
import { skipBecause } from '../support/skipBecause';

describe('a profile over ssh', function () {
  this.timeout(90_000);
  let sshd: PrivateSshd;
  let host: ReplayHost;
  before(async function () {
    const missing = whyNoSshd();
    if (missing) skipBecause(this, missing);
    host = makeReplayHost();
    sshd = await startSshd({ PATH: `${host.tools}:${process.env['PATH']}`, WARPLENS_TEST: host.mark });
  });
  after(() => {
    sshd?.stop();
    host?.remove();
  });
  afterEach(async () => assert.deepEqual(await host.leftBehind(), [], 'left behind'));

  const request = (build: Partial<ProfileRequest['build']>): ProfileRequest => ({
    host: { destination: 'good', sshConfig: sshd.config, scratchIn: host.scratchIn },
    build: { files: [], flags: [], folder: host.project, ...build },
    collect: { mostKernels: 50, timeLimitSeconds: 60, clocks: 'none', arguments: [] },
    store: host.store,
    driverParameters: host.parameters,
  });

  it('the checks', async () => {
    const { checks } = await checkHost({
      host: request({}).host,
      needsNvcc: buildsCuda,
      locksClocks: false,
      driverParameters: host.parameters,
    });
    assert.deepEqual(
      checks.filter((check) => check.verdict === 'bad'),
      [],
    );
  });

  it('sends the headers with the source, and maps their folders back', async function () {
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    for (const name of ['src and more', 'include']) mkdirSync(join(host.project, name));
    const source = join(host.project, 'src and more', "main it's.cu");
    writeFileSync(
      source,
      '#include "../include/scale.cuh"\n#include <extra.h>\nint main() { scale<<<1, 32>>>(nullptr, EXTRA); return 0; }\n',
    );
    writeFileSync(
      join(host.project, 'include', 'scale.cuh'),
      '#pragma once\n__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }\n',
    );
    writeFileSync(join(host.project, 'include', 'extra.h'), '#define EXTRA 2.0f\n');
    const result = await profile(request({ files: [source], flags: ['-Iinclude'] }));
    assert.deepEqual(
      result.built.kernels.map((kernel) => kernel.name),
      ['scale(float*, float)'],
    );
    assert.equal(result.built.folders[0]!.to, host.project);
    assert.match(result.report, /main_it_s-001\.ncu-rep$/);

    const wrong = '__global__ void scale(float* x, float by) { x[threadIdx.x] *= buy; }';
    writeFileSync(join(host.project, 'include', 'scale.cuh'), `#pragma once\n${wrong}\n`);
    await assert.rejects(profile(request({ files: [source], flags: ['-Iinclude'] })), (error: unknown) => {
      assert.ok(error instanceof BuildFailure);
      assert.deepEqual(
        error.messages.map(({ file, line, column }) => [file, line, column]),
        [[join(host.project, 'include', 'scale.cuh'), 2, wrong.indexOf('buy') + 1]],
      );
      return true;
    });
  });

  it('builds a copy of a project by its own command, with -lineinfo put in, and finds the program', async function () {
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    const folder = join(host.project, 'made');
    mkdirSync(join(folder, '.git'), { recursive: true });
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, '.git', 'secret'), '');
    writeFileSync(join(folder, '.gitignore'), 'out/\n');
    writeFileSync(join(folder, 'out', 'large'), '');
    writeFileSync(
      join(folder, 'k.cu'),
      '__global__ void k(float* x) { x[threadIdx.x] += 1; }\nint main() { k<<<1, 32>>>(nullptr); return 0; }\n',
    );
    writeFileSync(join(folder, 'Makefile'), 'demo: k.cu\n\tls -A .. . && nvcc -o $@ k.cu\n');
    let printed = '';
    const result = await profile(request({ folder, command: 'make' }), {
      onEvent: (event) => (printed += event.what === 'build-output' ? event.text : ''),
    });
    assert.match(result.built.program, /\/src\/demo$/);
    assert.deepEqual(
      result.built.kernels.map((kernel) => kernel.symbol),
      ['_Z1kPf'],
    );
    assert.doesNotMatch(printed, /secret|\.git$/m);
    assert.equal(existsSync(join(folder, 'demo')), false, 'nothing was built here');
    if (!spawnSync('rsync', ['--version']).error) assert.doesNotMatch(printed, /^out$/m);
  });

  it('builds in place when asked to', async () => {
    const folder = join(host.project, 'place');
    mkdirSync(folder);
    const result = await profile(
      request({
        folder: host.project,
        inPlace: folder,
        command: "printf '#!/bin/sh\\n' >prog; chmod +x prog",
        program: 'prog',
      }),
    );
    assert.equal(result.built.program, join(folder, 'prog'));
    assert.deepEqual(readdirSync(folder), ['prog']);
  });

  it('a program that is built already goes there with its folder, though git ignores it; one of the host is found in its PATH', async () => {
    const folder = join(host.project, 'ready');
    mkdirSync(join(folder, 'build'), { recursive: true });
    writeFileSync(join(folder, '.gitignore'), 'build/\n');
    writeFileSync(join(folder, 'data.txt'), '');
    writeFileSync(join(folder, 'build', 'bench'), '#!/bin/sh\n', { mode: 0o755 });
    const result = await profile(request({ folder, built: true, program: './build/bench' }));
    assert.match(result.built.program, /\/src\/build\/bench$/);
    assert.deepEqual(
      result.built.folders.map(({ to }) => to),
      [folder],
    );
    assert.match((await profile(request({ folder, built: true, program: 'true' }))).built.program, /^\/.*\/true$/);
    await assert.rejects(
      profile(request({ folder, built: true, program: './build/none' })),
      /Program .*none was not found/,
    );
    await assert.rejects(
      profile(request({ folder, built: true, program: 'no-such-program' })),
      /Program no-such-program was not found on good\./,
    );
  });

  it('a folder arrives whole without rsync too', async () => {
    const folder = join(host.project, 'tree');
    mkdirSync(join(folder, 'a b'), { recursive: true });
    writeFileSync(join(folder, 'a b', "it's é"), 'text');
    const tools = mkdtempSync('/tmp/wl-norsync-');
    const path = process.env['PATH'];
    const connection = await openHost(request({}).host);
    try {
      for (const tool of ['tar', 'ssh', 'sh'])
        spawnSync('ln', ['-s', spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim(), join(tools, tool)]);
      process.env['PATH'] = tools;
      await connection.sendFolder(folder, `${connection.scratch}/copy it`, 'send');
      const read = await connection.run(['cat', "a b/it's é"], {
        stage: 'send',
        directory: `${connection.scratch}/copy it`,
      });
      assert.equal(read.output, 'text');
    } finally {
      process.env['PATH'] = path;
      await connection.close();
      rmSync(tools, { recursive: true });
    }
  });

  it('hosts to choose from', async () => {
    const folder = mkdtempSync('/tmp/wl-hosts-');
    try {
      writeFileSync(
        join(folder, 'config'),
        'Host gpu "the box" *.example !not\n  HostName 10.0.0.1\nInclude more*.conf\nhost=other # a remark\nMatch host x\n',
      );
      writeFileSync(join(folder, 'more1.conf'), 'Host inner\nInclude config\n');
      assert.deepEqual(await sshHosts(join(folder, 'config')), ['gpu', 'the box', 'inner', 'other']);
      assert.deepEqual(await sshHosts(join(folder, 'none')), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
