// Proves the evaluation of random kernels: the same kernel as C++, compiled by g++, must touch the same places.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './compare';
import { printProof } from './print';

/** What g++ says of a kernel's indices, or the first line that differs. */
export function proofOf(test: Case): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-random-'));
  try {
    const source = join(folder, 'kernel.cpp');
    const program = join(folder, 'kernel');
    writeFileSync(source, printProof(test.kernel));
    execFileSync('g++', ['-O0', '-fwrapv', '-w', source, '-o', program], { stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = execFileSync(program, { encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n');
    lines.pop();
    const { sequence } = test.evaluation;
    if (lines.length !== sequence.length) return `${lines.length} accesses with g++, ${sequence.length} here`;
    const at = lines.findIndex((line, index) => line !== sequence[index]);
    return at < 0 ? undefined : `access ${at}: ${lines[at]} with g++, ${sequence[at]} here`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
