// Fortran on the command line: found in folders, fixed, and no process that lingers.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleOf } from '../support/bundles';

const misspelt =
  'program p\n  integer :: i\n  real :: a(8)\n  !$acc paralel loop\n  do i = 1, 8\n    a(i) = 0\n  end do\nend program\n';

describe('warplens check of Fortran', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-fortran-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  interface Ran {
    readonly code: number | null;
    readonly out: string;
    readonly lingered: number;
  }
  /** Runs the command, and says how many milliseconds the process lived after its last word. */
  function warplens(...given: string[]): Promise<Ran> {
    const child = spawn(process.execPath, [bundleOf('cli'), ...given]);
    let out = '';
    let last = performance.now();
    const hear = (chunk: Buffer): void => {
      out += chunk.toString();
      last = performance.now();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => resolve({ code, out, lingered: performance.now() - last }));
    });
  }

  it('finds files with directives in folders, reports and fixes problems, and ends at once', async () => {
    writeFileSync(join(folder, 'a.F90'), misspelt);
    writeFileSync(join(folder, 'old.f'), 'C$ACC PARALLEL LOOP\n      end\n');
    writeFileSync(join(folder, 'plain.f90'), 'end\n');
    const found = await warplens('check', folder, '--rule', 'acc/unknown-name');
    strictEqual(found.code, 1, found.out);
    match(found.out, /a\.F90:4:9: .*paralel.*\[acc\/unknown-name\]/);
    match(found.out, /in 1 of 2 files/);
    ok(found.lingered < 5000, `the process lived ${Math.round(found.lingered)} ms after its last word`);
    const mended = await warplens(
      'check',
      join(folder, 'a.F90'),
      '--rule',
      'acc/unknown-name',
      '--fix',
      '--unsafe-fixes',
    );
    strictEqual(mended.code, 0, mended.out);
    match(readFileSync(join(folder, 'a.F90'), 'utf8'), /!\$acc parallel loop\n/);
  });

  it('keeps the bytes of a file that it fixes: Latin-1, UTF-16, marks and Windows line ends', async () => {
    const program = `! Gr\u00f6\u00dfe\n${misspelt}`.replace(/\n/g, '\r\n');
    const encodings: Record<string, (text: string) => Buffer> = {
      'latin1.f90': (text) => Buffer.from(text, 'latin1'),
      'wide.f90': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
      'marked.f90': (text) => Buffer.from(`\ufeff${text}`, 'utf8'),
    };
    for (const [name, encode] of Object.entries(encodings)) writeFileSync(join(folder, name), encode(program));
    const mended = await warplens('check', folder, '--rule', 'acc/unknown-name', '--fix', '--unsafe-fixes');
    strictEqual(mended.code, 0, mended.out);
    for (const [name, encode] of Object.entries(encodings))
      deepStrictEqual(readFileSync(join(folder, name)), encode(program.replace('paralel', 'parallel')), name);
  });

  it('says in one sentence why a log of the compiler is not taken', async () => {
    const source = join(folder, 'a.f90');
    const bomb = join(folder, 'a.opt-record.json.gz');
    const sparse = join(folder, 'huge.log');
    writeFileSync(source, misspelt);
    writeFileSync(bomb, gzipSync(Buffer.alloc(257 * 1024 * 1024)));
    writeFileSync(sparse, '');
    truncateSync(sparse, 300 * 1024 * 1024);
    for (const log of [bomb, sparse]) {
      const { code, out } = await warplens('check', source, '--feedback', log);
      strictEqual(code, 2, out);
      match(out, /^warplens: --feedback .* more than 32 MB is too long for a build log; [^\n]*\n$/);
    }
  });

  it('model tells the loops of compute regions with their levels and iterations', async () => {
    writeFileSync(
      join(folder, 'a.f90'),
      'subroutine s(n, a)\n  integer :: n, i, j\n  real :: a(16, n)\n  !$acc parallel loop gang worker num_workers(4) copy(a)\n  do j = 1, n\n    !$acc loop\n    do i = 1, 16\n      a(i, j) = 0\n    end do\n  end do\nend subroutine\n',
    );
    const { code, out } = await warplens('model', join(folder, 'a.f90'));
    strictEqual(code, 0, out);
    match(
      out,
      /\n4: parallel in s\n {2}5:3 +do j = 1, n: gang, worker\(4\)\n {2}7:5 +do i = 1, 16: vector\(128 assumed\), 16 iterations \(/,
    );
    const json = JSON.parse((await warplens('model', '--format', 'json', join(folder, 'a.f90'))).out) as {
      loops: readonly { text: string; depth: number; trips?: { atMost: number } }[];
    };
    deepStrictEqual(
      json.loops.map(({ text, depth, trips }) => [text, depth, trips?.atMost]),
      [
        ['do j = 1, n', 0, undefined],
        ['do i = 1, 16', 1, 16],
      ],
    );
  });
});
