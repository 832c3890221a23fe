/** The checks before a run, over facts as hosts give them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { judge } from '../../profiler/src/preflight/checks';
import type { CheckOptions } from '../../profiler/src/preflight/checks';
import { readProbe } from '../../profiler/src/preflight/probe';

const answer = (changes: Record<string, string | undefined> = {}) => {
  const answers: Record<string, string | undefined> = {
    system: 'Linux x86_64',
    hostname: 'gpu7',
    user: '1000',
    container: '',
    capabilities: '0000000000000000',
    nvcc: '/usr/local/cuda/bin/nvcc\nnvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88',
    architectures: 'sm_75\nsm_80\nsm_90\nsm_120',
    ncu: '/usr/local/cuda/bin/ncu\nNVIDIA (R) Nsight Compute Command Line Profiler\nCopyright\nVersion 2025.3.1.0 (build 36398880) (public-release)',
    sections:
      '------ ----- ----\nIdentifier   Display Name   Enabled   Filename\n------ ----- ----\nSourceCounters   Source Counters   no   ...SourceCounters.section\nSpeedOfLight   GPU Speed Of Light Throughput   yes   ...SpeedOfLight.section',
    options: '--section\n--filter-mode',
    gpus: 'NVIDIA H200, 580.159.04, 9.0, [N/A], [N/A], Disabled',
    smi: '| NVIDIA-SMI 580.159.04   Driver Version: 580.159.04   CUDA Version: 13.0 |',
    parameters: 'ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0',
    room: 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 100 50 51200000 50% /',
    scratch: 'yes',
    demangler: '/usr/bin/c++filt',
    cuobjdump: '',
    ...changes,
  };
  return Object.entries(answers)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `\n@@ ${name}\n${text}\n`)
    .join('');
};
const options: CheckOptions = { hostName: 'gpu', needsNvcc: true, launcher: [], locksClocks: false };
const verdicts = (changes: Record<string, string | undefined>, more: Partial<CheckOptions> = {}) =>
  judge(readProbe(answer(changes)), { ...options, ...more })
    .filter((check) => check.verdict !== 'good')
    .map((check) => `${check.verdict} ${check.name}: ${check.text}`);

describe('the checks before a run', () => {
  it('nothing in the way', () => {
    assert.deepEqual(verdicts({}), []);
    const facts = readProbe(answer());
    assert.equal(facts.nvcc?.version, '13.0.88');
    assert.equal(facts.ncu?.version, '2025.3.1');
    assert.deepEqual(facts.ncu?.sections, ['SourceCounters', 'SpeedOfLight']);
    assert.equal(facts.freeBytes, 51200000 * 1024);
  });
  it('sections and options as ncu 2025.3.1 prints them', () => {
    const printed = (name: string) =>
      readFileSync(join(__dirname, '..', '..', 'tools', 'replay-ncu', 'logs', name), 'utf8');
    const options = [...new Set(printed('help.txt').match(/--[a-z][a-z-]*/g))].join('\n');
    const ncu = readProbe(
      `@@ ncu\n/opt/ncu\n@@ sections\n${printed('list-sections.txt')}\n@@ options\n${options}\n`,
    ).ncu;
    assert.equal(ncu?.sections.length, 24);
    for (const section of ['LaunchStats', 'Occupancy', 'SourceCounters', 'SpeedOfLight', 'WarpStateStats'])
      assert.ok(ncu.sections.includes(section), section);
    for (const option of ['--filter-mode', '--kernel-name', '--launch-count', '--import-source', '--section'])
      assert.ok(ncu.options.includes(option), option);
  });

  it('no nvcc, no ncu, no driver', () => {
    assert.deepEqual(
      verdicts({
        nvcc: undefined,
        architectures: undefined,
        ncu: undefined,
        sections: undefined,
        options: undefined,
        gpus: undefined,
        smi: undefined,
        parameters: '',
      }).map((text) => text.split(':')[0]),
      ['bad nvcc', 'bad gpu', 'bad ncu', 'note permission'],
    );
  });
  it('no nvcc is only a note when the user builds', () =>
    assert.deepEqual(verdicts({ nvcc: undefined, architectures: undefined }, { needsNvcc: false }), [
      'note nvcc: nvcc was not found on gpu.',
    ]));
  it('a driver that does not answer', () =>
    assert.match(
      verdicts({ gpus: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver." })[0]!,
      /^bad gpu: .*couldn't communicate/,
    ));
  it('a GPU that this nvcc is too old or too new for', () => {
    assert.match(
      verdicts({ gpus: 'Tesla V100, 580.1, 7.0' })[0]!,
      /^bad architecture: nvcc 13.0.88 cannot build for Tesla V100 \(sm_70\)/,
    );
    const newer = judge(readProbe(answer({ gpus: 'NVIDIA X, 600.1, 13.0' })), options).find(
      (check) => check.verdict === 'bad',
    );
    assert.match(newer!.nextStep!, /newer CUDA Toolkit/);
  });
  it('a toolkit that is newer than the driver', () =>
    assert.match(verdicts({ smi: '| CUDA Version: 12.4 |' })[0]!, /^note driver/));
  it('counters for root only', () => {
    const closed = { parameters: 'RmProfilingAdminOnly: 1' };
    assert.match(verdicts(closed)[0]!, /^bad permission: Only root may read the GPU counters/);
    assert.deepEqual(verdicts({ ...closed, user: '0', capabilities: '000001ffffffffff' }), []);
    assert.match(
      verdicts({ ...closed, user: '0', capabilities: '00000000a80425fb', container: 'yes' })[0]!,
      /^bad permission/,
    );
    const inContainer = judge(readProbe(answer({ ...closed, container: 'yes' })), options).find(
      (check) => check.name === 'permission',
    );
    assert.match(inContainer!.nextStep!, /SYS_ADMIN/);
  });
  it('an unknown permission is not taken for a refusal', () =>
    assert.match(verdicts({ parameters: '' })[0]!, /^note permission: .*is unknown/));
  it('little room, no room', () => {
    assert.match(verdicts({ room: 'x\n/dev/vda 100 50 102400 50% /tmp' })[0]!, /^note room: Only 100 MB/);
    assert.match(verdicts({ room: 'x\n/dev/vda 100 50 1024 50% /tmp' })[0]!, /^bad room: Only 1 MB/);
  });
  it('clocks that somebody set, and a GPU in instances', () => {
    assert.match(
      verdicts({ gpus: 'NVIDIA A100, 580.1, 8.0, 765, 1095, Enabled' }).join('\n'),
      /note gpu: .*MIG.*\nnote clocks: Application clocks are set to 765 MHz/,
    );
  });
  it('a scratch folder that the launcher does not see', () =>
    assert.match(verdicts({ scratch: '' }, { launcher: ['srun'] })[0]!, /^bad launcher/));
  it('nonsense gives no facts, and no crash', () => {
    for (const text of ['', '@@ ', '\n@@ nvcc\n', '\n@@ gpus\n,,,\n', '\u0000'.repeat(100), answer().slice(0, 300)])
      assert.ok(judge(readProbe(text), options).length > 0);
  });
});
