// Recorded reports of Nsight Compute 2025.3.1 from an NVIDIA H200, with what ncu itself prints of them, unpacked in memory.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { SourceBlock } from './ncuPages';

export const reportFixtureFolder = join(__dirname, '..', 'reports');

/** What ncu prints: source page, launches without lines, raw page, and the rule rows of the details page. */
export interface ReportOracle {
  blocks: SourceBlock[];
  withoutLines: string[];
  raw: { units: Record<string, string>; launches: Record<string, string>[] };
  rules: { launch: number; rule: string; type: string; speedupType: string; speedup: string }[];
}

export function reportFixtureNames(): string[] {
  return readdirSync(reportFixtureFolder).filter((name) => name.endsWith('.ncu-rep.br')).map((name) => name.slice(0, -'.ncu-rep.br'.length)).sort();
}

export function readReportFixture(name: string): Uint8Array {
  return new Uint8Array(brotliDecompressSync(readFileSync(join(reportFixtureFolder, `${name}.ncu-rep.br`))));
}

export function readOracle(name: string): ReportOracle {
  return JSON.parse(brotliDecompressSync(readFileSync(join(reportFixtureFolder, `${name}.oracle.json.br`))).toString('utf8')) as ReportOracle;
}
