// Fortran on the command line: found in folders, mended, and no process that lingers.
import { match, ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(__dirname, '..', '..', 'cli', 'src', 'main.ts');
const misspelt = 'program p\n  integer :: i\n  real :: a(8)\n  !$acc paralel loop\n  do i = 1, 8\n    a(i) = 0\n  end do\nend program\n';

describe('warplens check of Fortran', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'warplens-fortran-')); });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  interface Ran { readonly code: number | null; readonly out: string; readonly lingered: number }
  /** Runs the command, and says how many milliseconds the process lived after its last word. */
  function warplens(...given: string[]): Promise<Ran> {
    const child = spawn(process.execPath, ['--import', 'tsx', main, ...given]);
    let out = '';
    let last = performance.now();
    const hear = (chunk: Buffer): void => { out += chunk.toString(); last = performance.now(); };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => resolve({ code, out, lingered: performance.now() - last }));
    });
  }

  it('finds files with directives in folders, tells what is wrong, mends it, and ends at once', async () => {
    writeFileSync(join(folder, 'a.F90'), misspelt);
    writeFileSync(join(folder, 'old.f'), 'C$ACC PARALLEL LOOP\n      end\n');
    writeFileSync(join(folder, 'plain.f90'), 'end\n');
    const found = await warplens('check', folder, '--rule', 'acc/unknown-name');
    strictEqual(found.code, 1, found.out);
    match(found.out, /a\.F90:4:9: .*paralel.*\[acc\/unknown-name\]/);
    match(found.out, /in 1 of 2 files/);
    ok(found.lingered < 1000, `the process lived ${Math.round(found.lingered)} ms after its last word`);
    const mended = await warplens('check', join(folder, 'a.F90'), '--rule', 'acc/unknown-name', '--fix', '--unsafe-fixes');
    strictEqual(mended.code, 0, mended.out);
    match(readFileSync(join(folder, 'a.F90'), 'utf8'), /!\$acc parallel loop\n/);
  });
});
