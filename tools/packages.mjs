// Runs a TypeScript tool, after installing the packages of the lock file if they are not there. Needs nothing but Node
// and npm.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Ends this process with the tool's exit code. */
export function runWithPackages(tool, commandLine) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  // The packages of the lock file ask for as much; test/tools/packages.test.ts holds both together.
  if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22))
    stop(`Warplens is built with Node 20.19, 22.12 or newer; this is ${process.version}.`);
  if (!packagesFit()) {
    console.log('Installing the packages of package-lock.json.');
    const installed = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    if (installed.status !== 0) stop('npm could not install the packages; it says why above.');
  }
  // The scripts of esbuild and others are not run: their binaries come as separate packages.
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, tool), ...commandLine], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

/** Whether every package that package.json names is there in the version that it names. */
function packagesFit() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, version]) => {
    const manifest = join(root, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
}

function stop(message) {
  console.error(message);
  process.exit(1);
}
