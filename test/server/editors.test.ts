// Other editors with the configuration of docs/editors: what they show, and what their fixes write.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf } from '../support/bundles';
import { runCommand, writeFiles } from '../support/commandLine';
import { deep } from '../support/depth';
import { skipBecause } from '../support/skipBecause';

const root = join(__dirname, '..', '..');
const configurations = join(root, 'docs', 'editors');
const drivers = join(__dirname, 'editors');

interface Editor {
  readonly name: string;
  readonly command: string;
  readonly configuration: string;
  /** Prints a version, or fails where the editor is too old. */
  readonly check: readonly string[];
  readonly least: string;
  readonly start: (configuration: string) => readonly string[];
}
const editors: readonly Editor[] = [
  {
    name: 'Neovim',
    command: 'nvim',
    configuration: 'neovim.lua',
    check: ['--clean', '--headless', '-c', 'if !has("nvim-0.10") | cquit | endif', '-c', 'quit'],
    least: '0.10',
    start: (configuration) =>
      ['-n', '-i', 'NONE', '--headless', '-u', configuration].concat(
        '-c',
        `luafile ${join(drivers, 'neovim.lua')}`,
        '-c',
        'qall!',
      ),
  },
  {
    name: 'Emacs',
    command: 'emacs',
    configuration: 'emacs.el',
    check: ['--batch', '--eval', "(require 'eglot)"],
    least: '29, or one with eglot',
    start: (configuration) => ['--batch', '-l', configuration, '-l', join(drivers, 'emacs.el')],
  },
];

const kernel = `__global__ void tile(float *a) {
  __shared__ float t[64][64];
  t[threadIdx.x][threadIdx.y] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = t[threadIdx.y][threadIdx.x];
}
`;
const toFix = `// Größe 🚀
__global__ void scale(float *a, const float *b) {
  /* 🚀 */ a[threadIdx.x] = b[threadIdx.x] * 0.5; // 🚀 half
}
__global__ void turn(float *a) {
  /* 🚀 */ __shared__ float t[32][32]; // 🚀
  t[threadIdx.y][threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
void go(float *a, float *b) { scale<<<64, 256>>>(a, b); turn<<<64, dim3(32, 32)>>>(a); }
`;
const files = {
  'k.cuh': kernel,
  'main.cu': '#include "k.cuh"\nint main() { float *a; tile<<<64, dim3(32, 4)>>>(a); }\n',
  'fix.cu': toFix,
};
const conflict = { 'cuda/bank-conflict': 'off' };
const steps = [
  { do: 'open', file: 'k.cuh' },
  { do: 'see', file: 'k.cuh', text: '32-way bank conflict' },
  { do: 'open', file: 'main.cu' },
  { do: 'replace', file: 'main.cu', from: 'dim3(32', to: 'dim3(16' },
  { do: 'see', file: 'k.cuh', text: '16-way bank conflict' },
  { do: 'configure', settings: { warplens: { rules: conflict } } },
  { do: 'see', file: 'k.cuh' },
  { do: 'configure', settings: { warplens: { gpu: 'H100' } } },
  { do: 'see', file: 'k.cuh', text: '16-way bank conflict' },
  { do: 'open', file: 'fix.cu' },
  { do: 'see', file: 'fix.cu', text: '32-way bank conflict' },
  { do: 'fix', file: 'fix.cu' },
];

/** The configuration that docs/editors has, with the server of today's sources. */
function configurationFor(name: string): string {
  const text = readFileSync(join(configurations, name), 'utf8');
  const command = /(["'])warplens\1(?=(?:,? |\nargs = \[)["']server["'],? ["']--stdio["'])/;
  match(text, command, name);
  return text.replace(command, `$1${bundleOf('cli')}$1`);
}

describe('other editors', function () {
  this.timeout(180_000);

  it("Helix's configuration names languages and servers that Helix has", () => {
    const lines = configurationFor('helix.toml').split('\n');
    const values = (key: string): string[] =>
      lines.flatMap((line) => new RegExp(`^${key} = (.*)$`).exec(line)?.[1] ?? []);
    // Helix refuses its whole configuration for a language of another name, which it takes for a new one without scope.
    deepStrictEqual(
      values('name').map((value) => JSON.parse(value) as string),
      ['cpp', 'c', 'fortran'],
    );
    for (const value of [...values('language-servers'), ...values('args'), ...values('command')]) JSON.parse(value);
    for (const line of lines) match(line, /^(?:|\[\[?[\w.-]+\]\]?|[\w-]+ = (?:".*"|\[.*\]|\{ .* \}))$/);
  });

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-editor-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const { name, command, configuration, check, least, start } of deep ? editors : [])
    it(`${name} shows findings, keeps a header current, takes settings and fixes as the command line does`, async function () {
      const found = spawnSync(command, check, { encoding: 'utf8' });
      if (found.error) skipBecause(this, `${name} (${command}) is not installed.`);
      if (found.status !== 0) skipBecause(this, `${name} is too old: the configuration is for ${least}.`);
      mkdirSync(join(folder, '.git'));
      writeFiles(folder, { ...files, 'out/steps.json': JSON.stringify(steps), 'out/fixed.cu': toFix });
      const own = join(folder, 'out', configuration);
      writeFileSync(own, configurationFor(configuration));
      const shown = join(folder, 'out', 'shown.json');
      const { stderr, status } = spawnSync(command, start(own), {
        cwd: folder,
        encoding: 'utf8',
        timeout: 150_000,
        env: {
          ...process.env,
          HOME: join(folder, 'out'),
          XDG_CONFIG_HOME: join(folder, 'out'),
          XDG_DATA_HOME: join(folder, 'out'),
          XDG_STATE_HOME: join(folder, 'out'),
          WARPLENS_STEPS: join(folder, 'out', 'steps.json'),
          WARPLENS_SHOWN: shown,
        },
      });
      strictEqual(status, 0, stderr);
      const seen = JSON.parse(readFileSync(shown, 'utf8')) as readonly (readonly string[])[];
      const looks = steps.filter((step) => step.do === 'see');
      strictEqual(seen.length, looks.length);
      looks.forEach(({ text }, at) => {
        if (text === undefined) deepStrictEqual(seen[at], []);
        else match(seen[at]!.join('\n'), new RegExp(text));
      });
      await runCommand('check', '--fix', join(folder, 'out', 'fixed.cu'));
      const fixed = readFileSync(join(folder, 'out', 'fixed.cu'), 'utf8');
      ok(fixed !== toFix);
      strictEqual(readFileSync(join(folder, 'fix.cu'), 'utf8'), fixed);
    });
});
