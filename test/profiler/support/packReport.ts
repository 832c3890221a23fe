// Packs a report of ncu with the CSV pages of the same report into a fixture: `npx tsx test/profiler/support/packReport.ts R.ncu-rep [...]`.
// Beside R.ncu-rep lie R.source.csv (--page source --csv --print-source cuda,sass), R.raw.csv and R.details.csv (--page raw, details; --csv).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { oracleFromPages, packedFolder } from './reportFixtures';

const pack = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/** Above this many rows the instructions are left out: the lines are sums of them. */
const mostInstructions = 300;

mkdirSync(packedFolder, { recursive: true });
for (const path of process.argv.slice(2)) {
  const stem = path.replace(/\.ncu-rep$/, '');
  const oracle = oracleFromPages(stem);
  const count = oracle.blocks.reduce((sum, { instructions }) => sum + instructions.length, 0);
  if (count > mostInstructions) for (const block of oracle.blocks) block.instructions = [];
  const target = join(packedFolder, basename(stem));
  writeFileSync(`${target}.ncu-rep.br`, pack(readFileSync(path)));
  writeFileSync(`${target}.oracle.json.br`, pack(Buffer.from(JSON.stringify(oracle))));
}
