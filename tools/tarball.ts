// Packs the command line for npm, installs it into an empty folder without a network, and runs it from there.
//
//   npx tsx tools/tarball.ts
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifest } from './manifest';
import { checkContents } from './vsix';

const root = join(__dirname, '..');
/** What an installation may take beside the package itself, in bytes. */
const largestBeside = 10_000_000;

const wasteful =
  '__global__ void thin(const float *in, float *out) {\n' +
  '  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[32 * i];\n}\n' +
  'void run(const float *in, float *out) { thin<<<65536, 256>>>(in, out); }\n';

/**
 * Packs what is built in dist/ into a folder, without the scripts, which build a checkout and would be run or warned of
 * by an installation. Returns the tarball's path and the names of its files.
 */
export function makeTarball(folder: string): { readonly path: string; readonly names: readonly string[] } {
  const names = pack(root, ['--dry-run']).files.map(({ path }) => path);
  const staged = mkdtempSync(join(tmpdir(), 'warplens-packed-'));
  try {
    for (const name of names) cpSync(join(root, name), join(staged, name));
    writeFileSync(join(staged, 'package.json'), JSON.stringify({ ...manifest, scripts: undefined }, undefined, 2));
    mkdirSync(folder, { recursive: true });
    return { path: join(folder, pack(staged, ['--pack-destination', folder]).filename), names };
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function pack(from: string, args: readonly string[]): { filename: string; files: { path: string }[] } {
  const done = npm(from, ['pack', '--json', '--ignore-scripts', ...args]);
  if (done.status !== 0) throw new Error(`npm could not pack the command line:\n${done.output}`);
  // npm 11 and older print a list, npm 12 an object by name.
  return Object.values(JSON.parse(done.stdout) as Record<string, ReturnType<typeof pack>>)[0]!;
}

/** What is wrong with the tarball, a sentence each. */
export function checkTarball(): string[] {
  const place = mkdtempSync(join(tmpdir(), 'warplens-tarball-'));
  try {
    const { path, names } = makeTarball(join(place, 'packed'));
    return [...checkContents('tarball', names), ...installed(place, path), ...runByNpx(place, path)];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function installed(place: string, tarball: string): string[] {
  const folder = join(place, 'installed');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const done = npm(folder, ['install', '--offline', '--no-audit', '--no-fund', tarball]);
  if (done.status !== 0) return [`npm install of the tarball failed:\n${done.output}`];
  const modules = join(folder, 'node_modules');
  const { scripts } = JSON.parse(readFileSync(join(modules, 'warplens', 'package.json'), 'utf8'));
  if (scripts !== undefined) return ['The installed package has scripts, which npm warns of.'];
  const own = bytesOf(join(modules, 'warplens'));
  const beside = bytesOf(modules) - own;
  console.log(
    `  tarball ${megabytes(statSync(tarball).size)}, installed ${megabytes(own)}, beside it ${megabytes(beside)}`,
  );
  return beside < largestBeside ? [] : [`The installation takes ${megabytes(beside)} beside the package.`];
}

/** `npx ./warplens-….tgz check FOLDER`, as in a folder that has no package yet. */
function runByNpx(place: string, tarball: string): string[] {
  const folder = join(place, 'run');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src', 'a.cu'), wasteful);
  cpSync(tarball, join(folder, 'warplens.tgz'));
  const command = 'exec --yes --offline --package ./warplens.tgz -- warplens check src';
  const done = npm(folder, command.split(' '));
  const found = done.status === 1 && done.stdout.includes('src/a.cu:3:12: warning: Uncoalesced read of `in`');
  return found ? [] : [`npx of the tarball did not check a folder (exit code ${done.status}):\n${done.output}`];
}

function npm(folder: string, args: readonly string[]) {
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  // An npm script hands its own settings on: they belong to the repository.
  for (const name of Object.keys(environment))
    if (/^npm_(config|package|lifecycle)_/i.test(name)) delete environment[name];
  const windows = process.platform === 'win32';
  const done = spawnSync(windows ? 'npm.cmd' : 'npm', [...args], {
    cwd: folder,
    encoding: 'utf8',
    env: environment,
    shell: windows,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: done.status, stdout: done.stdout, output: `${done.stdout}${done.stderr}${done.error ?? ''}` };
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

if (process.argv[1] === __filename) {
  const complaints = checkTarball();
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
