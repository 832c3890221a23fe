// The hooks for pre-commit: the languages that they are run for, and what their commands say of such files.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf } from '../support/bundles';
import { writeFiles } from '../support/commandLine';

const root = join(__dirname, '..', '..');
interface Hook {
  readonly id: string;
  readonly command: readonly string[];
  readonly languages: readonly string[];
}
const hooks = readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')
  .split(/^- /m)
  .slice(1)
  .map((text): Hook => {
    const value = (key: string): string => new RegExp(`^ *${key}: (.*)$`, 'm').exec(text)?.[1] ?? '';
    const words = /^\['(.*)'\]$/.exec(value('args'))?.[1];
    return {
      id: value('id'),
      command: [...value('entry').split(' '), ...(words === undefined ? [] : [words])],
      languages: value('types_or').slice(1, -1).split(', ').sort(),
    };
  });

const kernel = (step: number): string => `__global__ void thin(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[${step} * i];
}
void run(const float *in, float *out) { thin<<<1 << 16, 256>>>(in, out); }
`;
const loop = `subroutine s(a, b, n)
  real(4) :: a(n, n), b(n, n)
  integer :: i, j, n
  !$acc parallel loop gang
  do j = 1, n
    !$acc loop vector
    do i = 1, n
      a(j, i) = b(j, i)
    end do
  end do
end subroutine
`;

describe('the hooks for pre-commit', function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-hooks-')));
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        encoding: 'utf8',
      });
    git('init', '-q');
    writeFiles(folder, { 'k.cu': kernel(1) });
    git('add', '-A');
    git('commit', '-q', '-m', 'one');
    writeFiles(folder, { 'k.cu': kernel(8), 's.f90': loop });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (id: string, ...files: string[]): { code: number | null; said: string } => {
    const [script, ...words] = hooks.find((hook) => hook.id === id)!.command;
    const { status, stdout, stderr } = spawnSync(join(root, script!), [...words, ...files], {
      ...{ cwd: folder, encoding: 'utf8', env: { ...process.env, WARPLENS_CLI: bundleOf('cli') } },
    });
    return { code: status, said: stdout + stderr };
  };

  it('take CUDA, C, C++ and Fortran', () => {
    deepStrictEqual(
      hooks.map(({ id, languages }) => [id, languages]),
      ['warplens', 'warplens-diff'].map((id) => [id, ['c', 'c++', 'cuda', 'fortran', 'header']]),
    );
  });

  it('report warnings of each language, and kernels that ask for more than in the last commit', () => {
    const checked = run('warplens', 'k.cu', 's.f90');
    strictEqual(checked.code, 1, checked.said);
    for (const place of [/^k\.cu:3:12: warning: /m, /^s\.f90:7:5: warning: /m]) match(checked.said, place);
    const compared = run('warplens-diff');
    strictEqual(compared.code, 1, compared.said);
    match(compared.said, /gate: time <= \+5 %: thin is predicted to take 3\.484× the time\./);
    ok(!compared.said.includes('Unknown'), compared.said);
  });
});
