// Counts what renaming changes in the findings of real programs.
//
//   npx tsx lab/bench/renaming.ts FOLDER... [--programs 60] [--seeds 1] [--show]
//
// The programs are sources of CUDA with a kernel, spread evenly over each folder, each with the files beside it that it
// includes. Kernels, parameters, variables, callees, macros, files and comments get random names.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findSources } from '../../cli/src/source';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { differencesOf, programOf } from '../../test/support/renaming';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    programs: { type: 'string', default: '60' },
    seeds: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (!positionals.length) throw new Error('Name at least one folder.');
  const syntax = await createSyntax(readGrammarFiles());
  const each = Math.ceil(Number(values.programs) / positionals.length);
  const total = { programs: 0, names: 0, findings: 0, differences: 0, differing: 0 };
  for (const folder of positionals) {
    const sources = findSources([folder], () => {}).filter(
      ({ path, text }) =>
        path.endsWith('.cu') && !/-(hip|sycl|omp)\//.test(path) && text.includes('__global__') && text.length < 60_000,
    );
    const count = Math.min(each, sources.length);
    for (let at = 0; at < count; at++) {
      const { path } = sources[Math.floor((at * sources.length) / count)]!;
      const files = programOf(path, (one) => (existsSync(one) ? readFileSync(one, 'utf8') : undefined));
      for (let seed = 1; seed <= Number(values.seeds); seed++) {
        const { findings, renamed, differences } = differencesOf(syntax, files, path, seed);
        if (seed === 1) {
          total.programs++;
          total.names += renamed;
          total.findings += findings;
        }
        total.differences += differences.length;
        if (!differences.length) continue;
        total.differing++;
        console.log(`${path}, seed ${seed}: ${differences.length} of ${findings}`);
        if (values.show)
          for (const { before, after } of differences) console.log(`  - ${before ?? ''}\n  + ${after ?? ''}`);
      }
    }
  }
  console.log(
    `${total.programs} programs, ${total.names} names, ${total.findings} findings: ` +
      `${total.differences} differences in ${total.differing} runs`,
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
