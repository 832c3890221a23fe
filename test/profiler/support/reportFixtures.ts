// Recorded reports of Nsight Compute 2025.3.1 from an NVIDIA H200, with what ncu itself prints of them, unpacked in memory.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { parseRawPage, parseSourcePage, type SourceBlock } from './ncuPages';

export const packedFolder = join(__dirname, '..', 'reports');

/** A folder of R.ncu-rep with R.source.csv, R.raw.csv and R.details.csv to test instead, such as the one that recordReports.sh fills. */
const plainFolder = process.env['WARPLENS_REPORTS'];

/** What ncu prints: source page, launches without lines, raw page, and the rule rows of the details page. */
export interface ReportOracle {
  blocks: SourceBlock[];
  withoutLines: string[];
  raw: { units: Record<string, string>; launches: Record<string, string>[] };
  rules: { launch: number; rule: string; type: string; speedupType: string; speedup: string }[];
}

/** Reports whose every number is compared. */
export function reportFixtureNames(): string[] {
  const ending = plainFolder ? '.ncu-rep' : '.ncu-rep.br';
  return readdirSync(plainFolder ?? packedFolder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

export function readReportFixture(name: string): Uint8Array {
  const plain = plainFolder && join(plainFolder, `${name}.ncu-rep`);
  if (plain && existsSync(plain)) return new Uint8Array(readFileSync(plain));
  return new Uint8Array(brotliDecompressSync(readFileSync(join(packedFolder, `${name}.ncu-rep.br`))));
}

export function readOracle(name: string): ReportOracle {
  const plain = plainFolder && join(plainFolder, name);
  if (plain && existsSync(`${plain}.ncu-rep`)) return oracleFromPages(plain);
  return JSON.parse(
    brotliDecompressSync(readFileSync(join(packedFolder, `${name}.oracle.json.br`))).toString('utf8'),
  ) as ReportOracle;
}

/** Reads the pages beside a report; one that is not there counts as empty. */
export function oracleFromPages(stem: string): ReportOracle {
  const page = (name: string) => (existsSync(`${stem}.${name}.csv`) ? readFileSync(`${stem}.${name}.csv`, 'utf8') : '');
  return {
    blocks: parseSourcePage(page('source')),
    withoutLines: [...page('source').matchAll(/No lineinfo available to show CUDA-C source related to '(.*)'\./g)].map(
      (match) => match[1]!,
    ),
    raw: page('raw') === '' ? { units: {}, launches: [] } : parseRawPage(page('raw')),
    rules: page('details') === '' ? [] : parseRules(page('details')),
  };
}

/** Rows of the details page that are rule results, by launch. */
function parseRules(csv: string): ReportOracle['rules'] {
  const rows = csv
    .split('\n')
    .filter((row) => row.startsWith('"'))
    .map((row) => row.slice(1, -1).split('","'));
  const names = rows[0]!;
  const column = (name: string) => names.indexOf(name);
  return rows.slice(1).flatMap((cells) => {
    const rule = cells[column('Rule Name')];
    if (!rule) return [];
    return [
      {
        launch: Number(cells[0]),
        rule,
        type: cells[column('Rule Type')]!,
        speedupType: cells[column('Estimated Speedup Type')] ?? '',
        speedup: (cells[column('Estimated Speedup')] ?? '').replace(/"$/, ''),
      },
    ];
  });
}
