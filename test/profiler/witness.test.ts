// Verdicts of the compiler: recorded PTX and machine code of small kernels, and nvcc itself where it is present.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preflight } from '../../profiler/src/preflight/preflight';
import { bytesSource, openReport } from '../../profiler/src/report';
import { readKeptDisassembly } from '../../profiler/src/sass/keptDisassembly';
import { readKernelSass } from '../../profiler/src/sass/kernelSass';
import { openHost } from '../../profiler/src/transport/openHost';
import { askCompiler, remarksOf } from '../../profiler/src/witness/askCompiler';
import { codeOfPtx, functionOf, type MachineCode } from '../../profiler/src/witness/machineCode';
import { judgeFindings, type CompilerVerdict } from '../../profiler/src/witness/witness';
import { nvccVersion } from '../support/nvcc';
import { skipBecause } from '../support/skipBecause';

const recorded = readFileSync(join(__dirname, 'witness', 'kernels.ptx'), 'utf8');

function judge(
  code: MachineCode,
  file: string,
  rule: string,
  message: string,
  line: number,
): CompilerVerdict | undefined {
  return judgeFindings([{ rule: `cuda/${rule}`, message, from: line, to: line }], file, [code])[0];
}

describe('verdicts of the compiler', () => {
  const cases: readonly (readonly [string, string, number, CompilerVerdict['state']])[] = [
    ['double-in-float', 'literal', 5, 'confirmed'],
    ['double-in-float', 'narrowed', 8, 'refuted'],
    ['divergent-branch', 'data', 12, 'refuted'],
    ['divergent-branch', 'data', 4, 'unseen'],
    ['accumulate-in-memory', 'sum', 20, 'confirmed'],
    ['accumulate-in-memory', 'sum', 22, 'refuted'],
    ['atomic-contention', 'global', 25, 'confirmed'],
    ['slow-math', 'power', 28, 'confirmed'],
    ['slow-math', 'power', 29, 'refuted'],
    ['double-in-float', 'literal', 1, 'unseen'],
  ];
  for (const [rule, message, line, state] of cases)
    it(`by PTX: ${rule} on line ${line} is ${state}`, () => {
      const said = judge(codeOfPtx(recorded)!, '/src/kernels.cu', rule, message, line);
      assert.equal(said?.state, state, said?.text);
      assert.match(said!.text, /^Compiler: .*\.$/);
    });

  it('there is none on a rule that code does not decide', () => {
    assert.equal(judge(codeOfPtx(recorded)!, '/src/kernels.cu', 'bank-conflict', 'column', 5), undefined);
  });

  it('a text other than PTX has no code', () => {
    assert.equal(codeOfPtx('nothing'), undefined);
  });

  it('by machine code: branches, doubles', async () => {
    const code = async (name: string): Promise<{ readonly code: MachineCode; readonly file: string }> => {
      const path = join(__dirname, '..', '..', 'samples', 'profiles', `${name}.ncu-rep`);
      const report = await openReport(bytesSource(new Uint8Array(readFileSync(path))));
      const kept = await readKeptDisassembly(new Uint8Array(readFileSync(`${path}.sass.gz`)));
      const sass = (await readKernelSass(report, () => true, kept))!;
      const functions = sass.functions.map(({ symbol, instructions }) => functionOf('sass', symbol, instructions));
      return {
        code: { kind: 'sass', architecture: 'sm_90', functions },
        file: functions[0]!.instructions.flatMap(({ lines }) => lines)[0]!.file,
      };
    };
    const parity = await code('parity-branch');
    assert.equal(judge(parity.code, parity.file, 'divergent-branch', 'lane-pattern', 10)!.state, 'confirmed');
    const data = await code('data-branch');
    assert.equal(judge(data.code, data.file, 'divergent-branch', 'predicated', 11)!.state, 'refuted');
    const double = await code('double-literal');
    assert.equal(
      judge(double.code, double.file, 'double-in-float', 'literal', 11)!.text,
      'Compiler: 500 double-precision instructions and 1000 conversions remain on this line (sm_90).',
    );
  });

  it('remarks name spills and ignored launch bounds', () => {
    const kernel = { symbol: '_Z1kPf', architecture: 'sm_90', registers: 32, spillStoreBytes: 16, spillLoadBytes: 8 };
    assert.deepEqual(remarksOf([kernel], 'ptxas info    : (C7508) Potential Performance Loss\n'), [
      'Compiler: `k` spills registers: 16 bytes stored and 8 bytes loaded by each thread, with 32 registers.',
      'Compiler: (C7508) Potential Performance Loss.',
    ]);
    assert.deepEqual(remarksOf([{ ...kernel, spillStoreBytes: 0, spillLoadBytes: 0 }], ''), []);
  });

  it('nvcc is asked, and a source that does not compile is one message', async function () {
    if (nvccVersion() === undefined) skipBecause(this, 'nvcc is not present');
    const folder = mkdtempSync(join(tmpdir(), 'warplens-witness-'));
    const host = await openHost({});
    try {
      const { facts } = await preflight(host, { needsNvcc: false, locksClocks: false });
      const compilation = { defines: {}, undefines: [], includeDirs: [], flags: [], computeCapability: '9.0' };
      const source = join(__dirname, 'witness', 'kernels.cu');
      const { code } = await askCompiler(host, facts, source, compilation);
      const [said] = judgeFindings(
        [{ rule: 'cuda/double-in-float', message: 'literal', from: 5, to: 5 }],
        source,
        code,
      );
      assert.equal(said!.state, 'confirmed');
      const broken = join(folder, 'broken.cu');
      writeFileSync(broken, 'int x = nothing;\n');
      await assert.rejects(
        askCompiler(host, facts, broken, compilation),
        /nvcc could not compile broken\.cu: broken\.cu:1/,
      );
    } finally {
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
