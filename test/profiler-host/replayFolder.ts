/** A folder with the recorded ncu and nvidia-smi, a report for them to give, and a driver's parameter file: a GPU host as far as tests need one. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { readReportFixture } from '../profiler/support/reportFixtures';

// Bundled for the editor, this lies in a folder of out/: as deep as here.
const tools = join(__dirname, '..', '..', 'tools');
const recorded = join(tools, 'replay-ncu');

/** Whether programs can be built as by nvcc: by the real one, else by the stand-in in `tools/replay-nvcc`, which needs clang. */
export const buildsCuda =
  !spawnSync('nvcc', ['--version']).error ||
  ['clang++-19', 'clang++-20', 'clang++-21'].some((clang) => !spawnSync(clang, ['--version']).error);
export const whyNoCudaBuild = 'there is neither nvcc nor clang++-19 on this machine';

export interface ReplayHost {
  /** To be first in PATH on the host. */
  readonly tools: string;
  /** Where scratch folders are made; empty when nothing was left behind. */
  readonly scratchIn: string;
  readonly parameters: string;
  /** A folder of this machine for reports. */
  readonly store: string;
  /** A folder of this machine with a small project. */
  readonly project: string;
  /** Value of WARPLENS_TEST in the environment of everything that runs on the host. */
  readonly mark: string;
  /** Says what the next ncu does; see tools/replay-ncu/ncu. */
  play(scenario: string): void;
  /** A recorded report for programs that name it (scenario `named`). */
  keepReport(name: string, report: Uint8Array): void;
  /** Processes with the test's mark that still run, but for those whose command matches, and files in the scratch folder, after a while of grace. */
  leftBehind(except?: RegExp): Promise<string[]>;
  remove(): void;
}

/** `report` is what the recorded ncu writes. */
export function makeReplayHost(report: Uint8Array = readReportFixture('corners')): ReplayHost {
  const folder = realpathSync(mkdtempSync('/tmp/wl-replay-'));
  const at = (name: string) => join(folder, name);
  cpSync(recorded, at('tools'), { recursive: true });
  if (spawnSync('nvcc', ['--version']).error && buildsCuda)
    cpSync(join(tools, 'replay-nvcc'), at('tools'), { recursive: true });
  for (const name of ['ncu', 'nsys', 'nvidia-smi', 'compute-sanitizer']) chmodSync(join(at('tools'), name), 0o755);
  writeFileSync(join(at('tools'), 'report.ncu-rep'), report);
  cpSync(join(tools, '..', 'samples', 'profiles', 'same-launches.sqlite'), join(at('tools'), 'timeline.sqlite'));
  for (const name of ['scratch', 'store', 'project']) mkdirSync(at(name));
  writeFileSync(at('params'), 'RmProfilingAdminOnly: 0\n');
  writeFileSync(join(at('project'), 'kernel.cu'), kernelSource);
  const mark = `mark-${process.pid}-${Date.now()}-${Math.floor(Math.random() * 1e9)}`;
  const play = (scenario: string) => writeFileSync(join(at('tools'), 'scenario'), `${scenario}\n`);
  play('corners');
  return {
    tools: at('tools'),
    scratchIn: at('scratch'),
    parameters: at('params'),
    store: at('store'),
    project: at('project'),
    mark,
    play,
    keepReport(name, report) {
      mkdirSync(join(at('tools'), 'reports'), { recursive: true });
      writeFileSync(join(at('tools'), 'reports', `${name}.ncu-rep`), report);
    },
    async leftBehind(except) {
      const until = Date.now() + 12_000;
      for (;;) {
        const left = [
          ...processesWith(`WARPLENS_TEST=${mark}`).filter((process) => !except?.test(process)),
          ...readdirSync(at('scratch')),
        ];
        if (left.length === 0 || Date.now() > until) return left;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const kernelSource = `#include <cstdio>
__global__ void scale(float* x, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x % 64] = i;
  __syncthreads();
  if (i < n) x[i] = x[i] * 2.0f + tile[(threadIdx.x + 1) % 64];
}
int main() { scale<<<4, 64>>>(nullptr, 0); return cudaDeviceSynchronize() != cudaSuccess; }
`;

/** Every process whose environment holds the assignment, as `pid command`. */
function processesWith(assignment: string): string[] {
  const found: string[] = [];
  for (const id of readdirSync('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    try {
      if (!readFileSync(`/proc/${id}/environ`, 'latin1').split('\0').includes(assignment)) continue;
      // A zombie has no command line; it is gone but for its parent's asking.
      const command = readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      if (command !== '') found.push(`${id} ${command.slice(0, 120)}`);
    } catch {
      // It ended while we looked, or belongs to somebody else.
    }
  }
  return found;
}
