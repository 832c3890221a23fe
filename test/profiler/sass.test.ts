// Machine code beside its counters: what disassemblers print, the text that is kept beside a report, and each instruction's samples, registers and lines.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { counters, gatherKernels } from '../../profiler/src/overlay/kernels';
import { keyOfLine, sassSide } from '../../profiler/src/overlay/sassPage';
import { bytesSource, measureReport, openReport, type Report } from '../../profiler/src/report';
import { controlText } from '../../profiler/src/sass/controlWord';
import { readDisassembly } from '../../profiler/src/sass/disassembly';
import {
  cubinHash,
  readKeptDisassembly,
  writeKeptDisassembly,
  type KeptDisassembly,
} from '../../profiler/src/sass/keptDisassembly';
import { readKernelSass } from '../../profiler/src/sass/kernelSass';
import { ptxOf } from '../../profiler/src/sass/ptx';
import { readReportFixture } from './support/reportFixtures';

const sample = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(__dirname, '..', '..', 'samples', 'profiles', `${name}.ncu-rep`)));
const recorded = (name: string, way: string): string =>
  gunzipSync(readFileSync(join(__dirname, 'sass', `${name}.${way}.txt.gz`))).toString('utf8');

async function kept(report: Report, text: string): Promise<KeptDisassembly> {
  const bytes = (await report.binary(report.launches[0]!.cubins[0]!, 1e8))!;
  return readKeptDisassembly(
    await writeKeptDisassembly('nvdisasm 13.0.85', [{ sha256: await cubinHash(bytes), text }]),
  );
}

describe('disassembly', () => {
  const ways = ['count', 'table', 'encoding', 'narrow', 'plain', 'cuobjdump'];
  for (const way of ways)
    it(`of nvdisasm and cuobjdump reads alike: ${way}`, () => {
      const all = readDisassembly(recorded('unpadded-tile', way));
      const code = all.get('.text._Z9transposePKfPfi')!;
      const told = way !== 'plain' && way !== 'cuobjdump';
      // With registers nvdisasm leaves out what fills up behind the code.
      assert.equal(code.length, told ? 50 : 64);
      assert.deepEqual([code[0]!.offset, code[0]!.text], [0, 'LDC R1, c[0x0][0x28]']);
      const read = code.find(({ offset }) => offset === 0x270)!;
      assert.equal(read.text, 'LDS R19, [R17]');
      assert.deepEqual(read.live, told ? { GPR: 10, UGPR: 2 } : undefined);
      assert.deepEqual(code.find(({ offset }) => offset === 0x310)!.labels, way === 'cuobjdump' ? [] : ['.L_x_0']);
    });

  it('a text that is none gives nothing', () => {
    for (const text of [
      '',
      'nvdisasm error : Unrecognized',
      '\t.section\t.text.k,"ax"\nnonsense\n// |||\n',
      '/*0000*/ MOV',
    ])
      assert.equal([...readDisassembly(text).values()].flat().length, 0);
  });

  it('is kept as one small file, and is none where it is damaged or of another make', async () => {
    const text = recorded('corners-rdc', 'encoding');
    const bytes = await writeKeptDisassembly('nvdisasm 13.0.85', [
      { sha256: 'a', text },
      { sha256: 'b', text: recorded('unpadded-tile', 'plain') },
    ]);
    assert.ok(bytes.length < text.length / 15);
    const back = await readKeptDisassembly(bytes);
    assert.equal(back.tool, 'nvdisasm 13.0.85');
    assert.deepEqual([...back.cubins.keys()], ['a', 'b']);
    assert.deepEqual(back.cubins.get('a'), readDisassembly(text));
    await assert.rejects(readKeptDisassembly(bytes.subarray(0, bytes.length / 2)), /damaged\. Profile again/);
    await assert.rejects(readKeptDisassembly(new Uint8Array(3)), /damaged/);
    await assert.rejects(readKeptDisassembly(gzipSync('something else')), /another version/);
  });
});

describe('the machine code of a kernel', () => {
  it('has the samples of its lines, the live registers of its instructions, and their places', async () => {
    const report = await openReport(bytesSource(sample('unpadded-tile')));
    const sass = (await readKernelSass(report, () => true, await kept(report, recorded('unpadded-tile', 'table'))))!;
    assert.equal(sass.source, 'disassembly');
    assert.equal(sass.functions.length, 1);
    const { instructions } = sass.functions[0]!;
    // Padding behind the last branch is left out.
    assert.equal(instructions.at(-1)!.text, 'BRA `(.L_x_0)');
    const measured = await measureReport(report);
    for (const metric of [counters.samples, counters.instructions, counters.wavefronts]) {
      const total = instructions.reduce((sum, { values }) => sum + (values[metric] ?? 0), 0);
      assert.equal(total, measured.kernels[0]!.values[metric]);
      // The instructions of a line add up to the line.
      for (const line of measured.lines) {
        const own = instructions.filter(({ lines }) =>
          lines.some((at) => at.line === line.line && at.file === line.file),
        );
        assert.equal(
          own.reduce((sum, { values }) => sum + (values[metric] ?? 0), 0),
          line.values[metric],
        );
      }
    }
    const store = instructions.find(({ text }) => text === 'STS [R16], R7')!;
    assert.deepEqual([store.live!['GPR'], store.lines.map(({ line }) => line)], [14, [12]]);
    // Who reads a register that is loaded waits for the barrier that the load releases.
    const loads = [...instructions.entries()].filter(([, { text }]) => /^(LDG|LDS|S2R)\S* R\d/.test(text));
    assert.ok(loads.length > 10);
    for (const [at, { text, control }] of loads) {
      const used = new RegExp(`[ [-]${/ (R\d+)/.exec(text)![1]}\\b`);
      const reader = instructions.slice(at + 1).find((later) => used.test(later.text))!;
      assert.ok(reader.control!.waits.includes(control!.writeBarrier!), `${text} before ${reader.text}`);
    }
    assert.equal(controlText(instructions[0]!.control!), 'B------ R- W- - S01');
    assert.equal(controlText(instructions.find(({ text }) => text === 'EXIT')!.control!), 'B------ R- W- - S05');
  });

  it('functions that were kept out of line come after their kernel, with their own counters', async () => {
    const report = await openReport(bytesSource(readReportFixture('corners-rdc')));
    const all = await kept(report, recorded('corners-rdc', 'encoding'));
    const launch = report.launches.find(({ shortName }) => shortName === 'outofline')!;
    const sass = (await readKernelSass(report, (one) => one === launch, all))!;
    assert.deepEqual(
      sass.functions.map(({ name }) => name),
      ['outofline', 'far_away', '__cuda_sm3x_div_rn_noftz_f32_slowpath'],
    );
    assert.ok(sass.functions.every(({ instructions }) => instructions.every(({ text, live }) => text !== '?' && live)));
    const total = sass.functions
      .flatMap(({ instructions }) => instructions)
      .reduce((sum, { values }) => sum + (values[counters.samples] ?? 0), 0);
    const kernel = (await measureReport(report)).kernels[launch.index]!;
    assert.equal(total, kernel.values[counters.samples]);
  });

  it('without a disassembly of this very build names are decoded, and what is missing is said', async () => {
    const report = await openReport(bytesSource(sample('unpadded-tile')));
    const foreign = await readKeptDisassembly(
      await writeKeptDisassembly('nvdisasm 13.0.85', [
        { sha256: 'f'.repeat(64), text: recorded('unpadded-tile', 'table') },
      ]),
    );
    for (const [disassembly, why] of [
      [undefined, /^This report has no disassembly/],
      [foreign, /belongs to another build/],
    ] as const) {
      const sass = (await readKernelSass(report, () => true, disassembly))!;
      assert.equal(sass.source, 'decoded');
      assert.match(sass.remark!, why);
      const read = sass.functions[0]!.instructions.find(({ offset }) => offset === 0x270)!;
      assert.deepEqual([read.text, read.live, read.values[counters.samples]], ['LDS', undefined, 1739]);
    }
    assert.equal(await readKernelSass(report, () => false, undefined), undefined);
  });

  it('launches of one kernel are added up', async () => {
    const report = await openReport(bytesSource(readReportFixture('patterns-full')));
    const launches = report.launches.filter(({ shortName }) => shortName === 'saxpy');
    const one = (await readKernelSass(report, (launch) => launch === launches[0], undefined))!;
    const all = (await readKernelSass(report, (launch) => launches.includes(launch), undefined))!;
    const count = (sass: typeof one): number =>
      sass.functions[0]!.instructions.reduce((sum, { values }) => sum + (values[counters.instructions] ?? 0), 0);
    assert.equal(all.launches, 4);
    assert.ok(count(all) > 2 * count(one));
    assert.equal(all.functions[0]!.instructions.length, one.functions[0]!.instructions.length);
  });
});

describe('the page of machine code', () => {
  it('rows carry shares, reasons, registers and the lines that they mark', async () => {
    const report = await openReport(bytesSource(sample('unpadded-tile')));
    const sass = (await readKernelSass(report, () => true, await kept(report, recorded('unpadded-tile', 'table'))))!;
    const [kernel] = (await gatherKernels(report, () => true))!;
    const side = sassSide('step 1', kernel!, sass, (file, line) =>
      line === 12 ? { file: '/now.cu', line: 14 } : line === 18 ? undefined : { file, line },
    );
    assert.equal(side.about, 'disassembled by nvdisasm 13.0.85; 28 registers per thread, at most 15 alive');
    const hottest = side.rows.find(({ bar }) => bar === 1)!;
    assert.deepEqual(
      [hottest.text, hottest.share, hottest.live, hottest.place],
      ['S2R R6, SR_TID.X', '21.2 %', '4 + 2', '9'],
    );
    assert.match(hottest.reasons, /^MIO throttle \d/);
    const store = side.rows.find(({ text }) => text === 'STS [R16], R7')!;
    assert.deepEqual(store.keys, [keyOfLine('/now.cu', 14)]);
    assert.equal(store.most, false);
    assert.ok(side.rows.some(({ most }) => most));
    // A line that is gone is marked by nothing, but its instructions are there.
    assert.deepEqual(side.rows.find(({ text }) => text === 'LDS R19, [R17]')!.keys, []);
  });
});

describe('PTX of a report', () => {
  const module = readFileSync(join(__dirname, 'sass', 'module.ptx'), 'utf8');

  it('is the body of the one kernel, by lines of its source', () => {
    const lines = ptxOf(module, '_Z1kPf')!;
    assert.equal(lines[0]!.text, '.visible .entry _Z1kPf(');
    assert.equal(lines.at(-1)!.text, '}');
    assert.deepEqual(lines.find(({ text }) => /ld\.param/.test(text))!.lines, [{ file: '/home/user/k.cu', line: 3 }]);
    assert.deepEqual(
      lines.find(({ text }) => /ret;/.test(text))!.lines,
      [4, 3].map((line) => ({ file: '/home/user/k.cu', line })),
    );
    assert.ok(lines.every(({ text }) => !/other|\.loc/.test(text)));
  });

  it('is absent where the text is none, or has no such kernel', () => {
    assert.equal(ptxOf('SASS of something', '_Z1kPf'), undefined);
    assert.equal(ptxOf(module, '_Z1k'), undefined);
    assert.equal(ptxOf(module, ''), undefined);
    // Declared, but without a body.
    assert.equal(ptxOf(module, '_Z1ff'), undefined);
  });
});
