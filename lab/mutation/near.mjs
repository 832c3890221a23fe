// Which drawn near misses of fixes tell mutants of what proves them apart: a search, in one process, without compilers.
//
//   node lab/mutation/near.mjs --sample 5 [--seed 1] [--in rewrites] [--tries 20] [--from 1000] [--draw 150] [--out FILE]
//
// Mutants are StrykerJS's, of the same stretches as `node lab/mutation/mutate.mjs --sample`. Each is tried on near misses of the
// record that reach it, then on newly drawn ones; FILE names those of the latter that see a mutant which those before
// did not, for `npx tsx lab/fuzz/fixes.ts --record --take FILE`, which executes them. Mutants that none saw are printed.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { folders, root, sampled } from './sample.mjs';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string' },
    tries: { type: 'string', default: '20' },
    from: { type: 'string', default: '1000' },
    draw: { type: 'string', default: '150' },
    out: { type: 'string', default: 'out/mutation/take.json' },
  },
});
if (!(Number(values.sample) >= 1) || (values.in !== undefined && !folders.includes(values.in))) {
  console.error(`--sample takes a whole number above 0, and --in one of ${folders.join(', ')}.`);
  process.exit(2);
}
const sandbox = join(root, 'out/mutation/near');
rmSync(sandbox, { recursive: true, force: true });
mkdirSync(sandbox, { recursive: true });
const manifests = ['package.json', 'package.nls.json', 'tsconfig.json'];
for (const part of ['server', 'hardware', 'protocol', 'grammars', 'test', 'tools', ...manifests])
  cpSync(join(root, part), join(sandbox, part), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
symlinkSync(join(root, 'node_modules'), join(sandbox, 'node_modules'));

const ranges = new Map();
for (const place of sampled(Number(values.sample), values.seed, values.in)) {
  const [, path, from, to] = /^(.*):(\d+)-(\d+)$/.exec(place);
  const all = ranges.get(path) ?? [];
  all.push({ start: { line: from - 1, column: 0 }, end: { line: Number(to), column: 0 } });
  ranges.set(path, all);
}
const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
const { files, mutants } = await new Instrumenter(silent).instrument(
  [...ranges].map(([name, mutate]) => ({ name, mutate, content: readFileSync(join(root, name), 'utf8') })),
  { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [] },
);
for (const { name, content } of files) writeFileSync(join(sandbox, name), content);
const state = join(sandbox, 'state.json');
writeFileSync(
  join(sandbox, 'mutants.json'),
  JSON.stringify({
    tries: Number(values.tries),
    from: Number(values.from),
    draw: Number(values.draw),
    mutants: mutants.map(({ id, fileName, location, replacement, mutatorName }) => ({
      id,
      file: fileName,
      line: location.start.line + 1,
      column: location.start.column + 1,
      replacement,
      mutatorName,
    })),
  }),
);

/** A mutant that does not end is ended from here, and counts as seen. */
async function search() {
  for (;;) {
    const child = spawn(process.execPath, ['--import', 'tsx', 'lab/mutation/near.ts'], {
      cwd: sandbox,
      stdio: 'inherit',
      env: { ...process.env, WARPLENS_MUTATION: '1' },
    });
    const busy = join(sandbox, 'busy');
    const watch = setInterval(() => {
      if (existsSync(busy) && Date.now() - statSync(busy).mtimeMs > 20_000) child.kill('SIGKILL');
    }, 1000);
    const code = await new Promise((resolve) => child.on('close', resolve));
    clearInterval(watch);
    if (code === 0) return;
    if (!existsSync(busy)) process.exit(1);
    const known = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : { seen: [], take: {} };
    known.seen.push(readFileSync(busy, 'utf8'));
    writeFileSync(state, JSON.stringify(known));
    rmSync(busy);
  }
}
await search();
const { seen, take, reached } = JSON.parse(readFileSync(state, 'utf8'));
writeFileSync(resolve(root, values.out), `${JSON.stringify(take, undefined, 1)}\n`);
const left = mutants.filter(({ id }) => reached.includes(id) && !seen.includes(id));
for (const { fileName, location, replacement } of left)
  console.log(`${fileName}:${location.start.line + 1}:${location.start.column + 1} ${replacement.slice(0, 90)}`);
console.log(`${mutants.length} mutants, ${reached.length} reached by near misses, ${seen.length} of them seen`);
