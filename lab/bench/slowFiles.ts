// Which files a check spends its processor time on, one after the other, as `warplens check --jobs 1 --no-cache` does:
//
// node lab/bench/bundled.mjs lab/bench/slowFiles.ts FOLDER… [--above MILLISECONDS]
//
// Prints the time of each folder, its slowest files, and how many took more than 2 s (or --above).
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { createChecker } from '../../cli/src/checking';
import { findSources } from '../../cli/src/source';

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { above: { type: 'string' } } });
  const above = Number(values.above ?? 2000);
  for (const folder of positionals) {
    const checker = await createChecker({
      analysis: { defines: {}, includeDirs: [], gpu: 'auto', useCompileCommands: true },
      quiet: { paths: [], below: [] },
      feedback: [],
    });
    const sources = findSources([folder], (sentence) => console.error(sentence)).filter(
      ({ path }) => extname(path) === '.cu',
    );
    const rows: { readonly path: string; readonly milliseconds: number }[] = [];
    for (const source of sources) {
      const before = process.cpuUsage();
      await checker.check(source);
      const { user, system } = process.cpuUsage(before);
      rows.push({ path: source.path, milliseconds: (user + system) / 1000 });
    }
    rows.sort((a, b) => b.milliseconds - a.milliseconds);
    const total = rows.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const slow = rows.filter(({ milliseconds }) => milliseconds > above).length;
    console.log(`${folder}: ${rows.length} files, ${(total / 1000).toFixed(1)} s, ${slow} above ${above} ms`);
    for (const { path, milliseconds } of rows.slice(0, 6)) console.log(`  ${milliseconds.toFixed(0)} ms ${path}`);
  }
}

void main();
