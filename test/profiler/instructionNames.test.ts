// The instructions of a line, from the machine code in recorded reports of samples whose code is known.
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOfInstruction } from '../../profiler/src/lines/instructionTable';
import { codeByLine } from '../../profiler/src/lines/instructionNames';
import { bytesSource, measureLaunch, measureReport, openReport, ReportError } from '../../profiler/src/report';
import { mutate, randomNumbers } from './support/mutateReport';
import { readReportFixture } from './support/reportFixtures';
import disassembled from './instructionNames.json';

const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(__dirname, '../../samples/profiles', `${name}.ncu-rep`)));

async function namesIn(
  bytes: Uint8Array,
  kernel: string,
): Promise<ReadonlyMap<number, Readonly<Record<string, number>>>> {
  const report = await openReport(bytesSource(bytes));
  const launch = report.launches.find(({ shortName }) => shortName === kernel)!;
  const { lines } = await measureLaunch(report, launch);
  return new Map(
    lines.flatMap(({ file, line, instructions }) => (file.endsWith('.cu') ? [[line, instructions!]] : [])),
  );
}

describe('instructions of a line', () => {
  it('a float4 load per turn of an unrolled loop, and a multiply-add per product', async () => {
    const lines = await namesIn(read('register-tiled'), 'multiply');
    deepStrictEqual(
      [32, 33, 34, 35].map((line) => lines.get(line)),
      [{ LDS: 8 }, { LDS: 8 }, { LDS: 8 }, { LDS: 8 }],
    );
    deepStrictEqual(lines.get(41), { FFMA: 8 * 8 * 8 });
    deepStrictEqual([lines.get(50)!['STG'], lines.get(51)!['STG']], [8, 8]);
    equal(lines.get(28)!['BAR'], 1);
  });

  it('double arithmetic and its conversions stand where a literal is double', async () => {
    const names = (await namesIn(read('double-literal'), 'contract')).get(11)!;
    deepStrictEqual([names['F2F'], names['DFMA']], [1000, 500]);
    ok(
      !Object.keys((await namesIn(read('double-literal'), 'halve')).get(18)!).some((name) =>
        /^D(MUL|FMA|ADD)$|^F2F$/.test(name),
      ),
      'the compiler narrowed x * 0.5',
    );
  });

  it('every instruction of these kernels has a name', async () => {
    for (const [name, kernel] of [
      ['1-row-per-thread', 'averageAndMultiply'],
      ['parity-branch', 'iterate'],
      ['unpadded-tile', 'transpose'],
      ['chunk-per-thread', 'addVectors'],
    ] as const) {
      const unknown = [...(await namesIn(read(name), kernel))]
        .filter(([, names]) => names['other'])
        .map(([line, names]) => `${line}: ${names['other']}`);
      deepStrictEqual(unknown, [], name);
    }
  });

  it('every number has the name that nvdisasm 13.0 gave it, from sm_75 to sm_121', () => {
    const wrong = Object.entries(disassembled).flatMap(([architecture, table]) => {
      const family = Math.floor(Number(/\d+/.exec(architecture)![0]) / 10);
      return Object.entries(table).flatMap(([bits, name]) => {
        const ours = nameOfInstruction(Number.parseInt(bits, 16), family);
        return ours === name ? [] : [`${architecture} ${bits}: ${ours} is ${name}`];
      });
    });
    deepStrictEqual(wrong, []);
    deepStrictEqual(
      Object.keys(disassembled).filter((name) => /^sm_1[02]\d$/.test(name)),
      ['sm_100', 'sm_103', 'sm_120', 'sm_121'],
    );
  });

  it('a number that no program had is counted as other', async () => {
    equal(nameOfInstruction(0x1ff, 9), undefined);
    equal(nameOfInstruction(0x035, 10), undefined, 'HFMA2 before, IADD after: not seen between');
    const without = await namesIn(read('sweep-2d'), 'largestOfTiles');
    deepStrictEqual(
      [...without.values()].flatMap(({ other }) => other ?? []),
      [],
    );
  });

  it('says nothing of GPUs whose encoding is not known, and of code that is not there', async () => {
    for (const [bytes, capabilities] of [
      [read('unpadded-tile'), [6, 11, NaN]],
      [readReportFixture('basic-noline'), [9]],
    ] as const) {
      const report = await openReport(bytesSource(bytes));
      const [launch] = report.launches;
      const [code] = (await report.cubin(launch!.cubins[0]!, launch!.process))!.functions;
      for (const capability of capabilities) equal((await codeByLine(report, code!, capability)).size, 0);
    }
  });

  it('damaged reports give less, or one error of the reader', async () => {
    const random = randomNumbers(504);
    const original = read('unpadded-tile');
    for (let count = 0; count < 150; count++) {
      const { what, bytes } = mutate(original, random);
      try {
        await measureReport(await openReport(bytesSource(bytes)));
      } catch (error) {
        ok(error instanceof ReportError, `${what}: ${String(error)}`);
      }
    }
  });
});
