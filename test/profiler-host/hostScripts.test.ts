/** The shell programs of the host, under every POSIX shell of this machine: statuses, interrupts, and nothing left of what tries to stay. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inTime } from '../support/depth';

import { openHost } from '../../profiler/src/transport/openHost';
import type { Host } from '../../profiler/src/transport/host';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import { skipBecause } from '../support/skipBecause';

for (const shell of ['dash', 'bash', 'busybox', 'ksh', 'zsh']) {
  const found = spawnSync('which', [shell], { encoding: 'utf8' }).stdout?.trim();
  describe(`the host scripts under ${shell}`, function () {
    this.timeout(30_000);
    let folder: string;
    let host: Host;
    const path = process.env['PATH'];
    before(async function () {
      if (process.platform !== 'linux') skipBecause(this, 'a host runs Linux');
      if (!found) skipBecause(this, `there is no ${shell} on this machine`);
      folder = mkdtempSync('/tmp/wl-shell-');
      symlinkSync(found, join(folder, 'sh'));
      process.env['PATH'] = `${folder}:${path}`;
      host = await openHost({ scratchIn: folder });
    });
    after(async () => {
      if (!host) return;
      const { scratch } = host;
      assert.equal(await host.close(), 'removed');
      assert.equal(existsSync(scratch), false);
      process.env['PATH'] = path;
      rmSync(folder, { recursive: true });
    });

    it('exit statuses and both streams', async () => {
      assert.deepEqual(await host.run(['/bin/sh', '-c', 'echo out; echo err >&2; exit 7'], { stage: 'build' }), {
        status: 7,
        output: 'out\n',
        errors: 'err\n',
      });
      assert.equal((await host.run(['/bin/sh', '-c', 'kill -s SEGV $$'], { stage: 'build' })).status, 139);
      assert.equal((await host.run(['no-such-command'], { stage: 'build' })).status, 127);
    });
    it('empty standard input, the folder, the environment', async () => {
      const outcome = await host.run(['/bin/sh', '-c', 'cat; pwd; printf "%s\\n" "$VALUE"'], {
        stage: 'build',
        directory: '/usr',
        environment: { VALUE: "it's $HOME\nnext" },
      });
      assert.equal(outcome.output, "/usr\nit's $HOME\nnext\n");
    });
    it('an interrupt reaches the program', async () => {
      // Only once the program has said that it is ready does it hold the trap: until then an interrupt ends it. That it
      // has begun comes by another stream, before or after.
      let ready = false;
      let interrupt: (() => void) | undefined;
      const interruptOnce = (): void => {
        if (!ready || !interrupt) return;
        interrupt();
        interrupt = undefined;
      };
      const outcome = await host.run(
        ['/bin/sh', '-c', 'trap "echo caught; exit 5" INT; echo ready; sleep 100 & wait'],
        {
          stage: 'collect',
          onStarted(given) {
            interrupt = given;
            interruptOnce();
          },
          onText(_, text) {
            ready ||= text.includes('ready');
            interruptOnce();
          },
        },
      );
      // Where the shell cannot undo that background programs ignore SIGINT, env does (coreutils 8.31 and newer).
      assert.equal(outcome.output, 'ready\ncaught\n');
      assert.equal(outcome.status, 5);
    });
    it('a program that ignores TERM and leaves its session is gone after a cancel', async () => {
      const token = `sleep ${100_000 + Math.floor(Math.random() * 100_000)}`;
      const controller = new AbortController();
      await assert.rejects(
        host.run(['/bin/sh', '-c', `trap "" TERM; setsid ${token} & ${token} & echo ready; ${token}`], {
          stage: 'build',
          signal: controller.signal,
          onText: () => controller.abort(),
        }),
        (error: unknown) => error instanceof ProfileProblem && error.kind === 'cancelled',
      );
      assert.equal(spawnSync('pgrep', ['-f', `^${token}$`]).status, 1);
    });
    it('what a program leaves in the background ends with it', async () => {
      const token = `sleep ${100_000 + Math.floor(Math.random() * 100_000)}`;
      const started = Date.now();
      assert.equal(
        (await host.run(['/bin/sh', '-c', `setsid ${token} & ${token} & exit 0`], { stage: 'build' })).status,
        0,
      );
      inTime(Date.now() - started, 8000);
      assert.equal(spawnSync('pgrep', ['-f', `^${token}$`]).status, 1);
    });
  });
}
