// Packs a report of ncu with the CSV pages of the same report into a fixture: `npx tsx test/profiler/support/packReport.ts R.ncu-rep [...]`.
// Beside R.ncu-rep lie R.source.csv (--page source --csv --print-source cuda,sass), R.raw.csv and R.details.csv (--page raw, details; --csv).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { reportFixtureFolder, type ReportOracle } from './reportFixtures';
import { parseRawPage, parseSourcePage } from './ncuPages';

const pack = (bytes: Uint8Array) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });

/** Rows of the details page that are rule results, by launch. */
function parseRules(csv: string): ReportOracle['rules'] {
  const rows = csv.split('\n').filter((row) => row.startsWith('"')).map((row) => row.slice(1, -1).split('","'));
  const names = rows[0]!;
  const column = (name: string) => names.indexOf(name);
  return rows.slice(1).flatMap((cells) => {
    const rule = cells[column('Rule Name')];
    if (!rule) return [];
    return [{ launch: Number(cells[0]), rule, type: cells[column('Rule Type')]!, speedupType: cells[column('Estimated Speedup Type')] ?? '', speedup: (cells[column('Estimated Speedup')] ?? '').replace(/"$/, '') }];
  });
}

mkdirSync(reportFixtureFolder, { recursive: true });
for (const path of process.argv.slice(2)) {
  const stem = path.replace(/\.ncu-rep$/, '');
  const page = (name: string) => (existsSync(`${stem}.${name}.csv`) ? readFileSync(`${stem}.${name}.csv`, 'utf8') : '');
  const oracle: ReportOracle = {
    blocks: parseSourcePage(page('source')),
    withoutLines: [...page('source').matchAll(/No lineinfo available to show CUDA-C source related to '(.*)'\./g)].map((match) => match[1]!),
    raw: parseRawPage(page('raw')),
    rules: page('details') === '' ? [] : parseRules(page('details')),
  };
  const target = join(reportFixtureFolder, basename(stem));
  writeFileSync(`${target}.ncu-rep.br`, pack(readFileSync(path)));
  writeFileSync(`${target}.oracle.json.br`, pack(Buffer.from(JSON.stringify(oracle))));
}
