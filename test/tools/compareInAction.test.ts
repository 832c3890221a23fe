// What the GitHub action runs: its summary, files, outputs and outcome, and that its inputs are those it declares.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf } from '../support/bundles';
import { writeFiles } from '../support/commandLine';

const root = join(__dirname, '..', '..');
const kernel = (pitch: number): string => `__global__ void turn(float *out, const float *in) {
  __shared__ float tile[32][${pitch}];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void go(float *a, float *b) { turn<<<1, dim3(32, 32)>>>(a, b); }
`;

describe('the GitHub action', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-action-')));
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        encoding: 'utf8',
      });
    git('init', '-q');
    writeFiles(folder, { 'turn.cu': kernel(33) });
    git('add', '-A');
    git('commit', '-q', '-m', 'one');
    writeFiles(folder, { 'turn.cu': kernel(32) });
    git('commit', '-q', '-a', '-m', 'two');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(inputs: Readonly<Record<string, string>>): {
    code: number | null;
    said: string;
    outputs: string;
    summary: string;
  } {
    const files = {
      GITHUB_OUTPUT: join(folder, '.git', 'output'),
      GITHUB_STEP_SUMMARY: join(folder, '.git', 'summary'),
    };
    for (const file of Object.values(files)) rmSync(file, { force: true });
    const { status, stdout, stderr } = spawnSync('bash', [join(root, 'tools/compareInAction.sh')], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...files, WARPLENS_CLI: bundleOf('cli'), ...inputs },
    });
    const read = (file: string): string => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return '';
      }
    };
    return {
      code: status,
      said: stdout + stderr,
      outputs: read(files.GITHUB_OUTPUT),
      summary: read(files.GITHUB_STEP_SUMMARY),
    };
  }

  it('fails where the gate does not pass, and writes summary, SARIF and comment', () => {
    const sarif = join(folder, '.git', 'new.sarif');
    const comment = join(folder, '.git', 'comment.md');
    const { code, said, outputs, summary } = run({
      WARPLENS_BASE: 'HEAD~1',
      WARPLENS_GATE: 'wavefronts <= +5 %',
      WARPLENS_SARIF: sarif,
      WARPLENS_COMMENT: comment,
    });
    strictEqual(code, 1, said);
    match(said, /::error::The gate does not pass: wavefronts <= \+5 %/);
    strictEqual(outputs, 'passed=false\n');
    match(summary, /\| `turn` turn\.cu:1 \| shared memory wavefronts per block \| 64 \| 1,056 \|/);
    strictEqual(readFileSync(comment, 'utf8'), summary);
    match(readFileSync(sarif, 'utf8'), /cuda\/bank-conflict/);
  });

  it('passes where it does, without a gate too', () => {
    deepStrictEqual([run({ WARPLENS_BASE: 'HEAD~1', WARPLENS_GATE: 'sectors <= +5 %' }).code], [0]);
    strictEqual(run({ WARPLENS_BASE: 'HEAD~1' }).outputs, 'passed=true\n');
    strictEqual(run({ WARPLENS_BASE: 'HEAD', WARPLENS_GATE: 'new-findings == 0' }).code, 0);
  });

  it('stops with its default gate what takes longer, and no edit that does not', () => {
    const gate = /^ {2}gate:\n.*\n {4}default: (.*)$/m.exec(readFileSync(join(root, 'action.yml'), 'utf8'))![1]!;
    const outcome = (from: string, to: string): number | null => {
      const text = kernel(33);
      ok(text.includes(from), from);
      writeFiles(folder, { 'turn.cu': text.replace(from, to) });
      return run({ WARPLENS_BASE: 'HEAD~1', WARPLENS_GATE: gate }).code;
    };
    const edits: Readonly<Record<string, readonly [string, string, number]>> = {
      pad: ['[32][33]', '[32][32]', 1],
      indices: ['in[threadIdx.y * 32 + threadIdx.x]', 'in[threadIdx.x * 32 + threadIdx.y]', 1],
      barriers: ['__syncthreads();', '__syncthreads(); __syncthreads();', 0],
      atomics: ['__syncthreads();', '__syncthreads(); atomicAdd(out, 1.0f);', 1],
      comment: ['__syncthreads();', '// waits\n  __syncthreads();', 0],
      name: ['float *out, const float *in', 'float *out, float const *in', 0],
    };
    for (const [name, [from, to, expected]] of Object.entries(edits)) strictEqual(outcome(from, to), expected, name);
    writeFiles(folder, { 'turn.cu': kernel(32) });
  });

  it('says what it lacks, and takes no input for a command', () => {
    const none = run({ WARPLENS_BASE: '' });
    strictEqual(none.code, 2);
    match(none.said, /set the input "base"/);
    match(run({ WARPLENS_BASE: 'nowhere' }).said, /cannot be fetched/);
    match(run({ WARPLENS_BASE: 'HEAD', WARPLENS_GATE: 'speed == 1' }).said, /Unknown gate figure "speed"/);
    match(run({ WARPLENS_BASE: 'HEAD', WARPLENS_COMMENT: 'nowhere/a.md' }).said, /nowhere\/a\.md cannot be written/);
    match(run({ WARPLENS_BASE: 'HEAD', WARPLENS_ARGUMENTS: '-D "A=1' }).said, /a quote without its end: -D "A=1/);
    strictEqual(run({ WARPLENS_BASE: 'HEAD', WARPLENS_ARGUMENTS: '-D "A=1 2" --gpu H100' }).code, 0);
    match(run({ WARPLENS_BASE: '--upload-pack=touch hostile;' }).said, /"--upload-pack=.*" begins with "-"/);
    ok(run({ WARPLENS_BASE: 'HEAD', WARPLENS_ARGUMENTS: '--gpu $(touch hostile); touch hostile' }).code !== 0);
    ok(!execFileSync('git', ['-C', folder, 'status', '--short'], { encoding: 'utf8' }).includes('hostile'));
  });

  it('uses the inputs that it declares, none of them within a script', () => {
    const text = readFileSync(join(root, 'action.yml'), 'utf8');
    const [declared] = /^inputs:\n([\s\S]*?)^outputs:/m.exec(text)!.slice(1);
    const names = [...declared!.matchAll(/^ {2}(\w+):$/gm)].map((match) => match[1]!);
    const used = new Set([...text.matchAll(/\$\{\{ inputs\.(\w+)/g)].map((match) => match[1]!));
    deepStrictEqual([...used].sort(), [...names].sort());
    for (const line of text.split('\n')) if (/^\s+run:/.test(line)) ok(!line.includes('${{'), line);
  });
});
