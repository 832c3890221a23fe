// The instruments that judge the model, on texts of our own: what they must notice, and what they say to bad arguments.
import { match, ok, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bench = __dirname;
const kernel = `__global__ void scale(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * 8];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  scale<<<64, 256>>>(a, b);
  return cudaDeviceSynchronize();
}
`;

function run(tool: string, ...args: string[]): Promise<{ status: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', join(bench, tool), ...args], (error, out, err) =>
      resolve({ status: error ? Number(error.code) : 0, out, err }),
    );
  });
}

describe('instruments of the bench', function () {
  this.timeout(180_000);
  let folder: string;
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const lines = (...rows: object[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-bench-'));
    file('sources/project/scale.cu', kernel);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('accuracy: a counter that agrees is a hit, one that does not is named with figure, counter and text', async () => {
    const row = { repo: 'owner/project', file: 'scale.cu', line: 3 };
    const truth = file('truth.jsonl', lines({ ...row, l2Sectors: 36, l2SectorsIdeal: 8 }));
    const root = join(folder, 'sources');
    const agreed = await run('accuracy.ts', '--root', root, '--truth', truth, '--verbose');
    // 32 sectors of 4 for the load, 4 of 4 for the store.
    match(agreed.out, /recall 1 of 1/);
    match(agreed.out, /unassumed figures equal to the counter 1 of 1/);
    ok(!agreed.out.includes('contradicted'));
    const other = file('other.jsonl', lines({ ...row, l2Sectors: 16, l2SectorsIdeal: 8 }));
    const named = await run('accuracy.ts', '--root', root, '--truth', other, '--verbose', '--jobs', '2');
    match(named.out, /contradicted global owner\/project\/scale\.cu:3 figure 4\.500, counter 2\.000: .*in\[i \* 8\]/);
    match(named.out, /equal to the counter 0 of 1/);
  });

  it('accuracy: says which files it could not read, and what is missing', async () => {
    const truth = file(
      'gone.jsonl',
      lines({ repo: 'owner/gone', file: 'a.cu', line: 1, l2Sectors: 4, l2SectorsIdeal: 1 }),
    );
    const { out } = await run('accuracy.ts', '--root', folder, '--truth', truth);
    match(out, /not read: owner\/gone\/a\.cu/);
    const bad = await run('accuracy.ts', '--root', folder, '--truth', file('bad.jsonl', '{"file"\n'));
    strictEqual(bad.status, 2);
    match(bad.err, /bad\.jsonl:1 is not JSON/);
    strictEqual((await run('accuracy.ts', '--root', folder)).status, 2);
  });

  it('verdicts: a right finding is found, noise and wrong ones are counted while they stay', async () => {
    const row = {
      repo: 'owner/project',
      path: 'scale.cu',
      rule: 'cuda/uncoalesced-access',
      severity: 'warning',
      why: '',
    };
    const verdicts = file(
      'verdicts.jsonl',
      lines(
        { ...row, line: 4, message: 'stride', verdict: 'right' },
        { ...row, line: 9, message: 'stride', verdict: 'right' },
        { ...row, line: 2, message: 'stride', verdict: 'wrong' },
        { ...row, line: 3, message: 'stride', verdict: 'noise', path: 'gone.cu' },
      ),
    );
    const { out } = await run('verdicts.ts', '--verdicts', verdicts, '--root', join(folder, 'sources'));
    match(out, /1 verdicts in files that are not there/);
    // One finding stands near three verdicts: the nearer one has it.
    match(out, /cuda\/uncoalesced-access: right found 1\/2; noise at warning or error 0\/0 .*wrong still there 0\/1/);
    strictEqual((await run('verdicts.ts', '--root', folder)).status, 2);
  });
});
