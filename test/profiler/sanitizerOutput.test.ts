// What compute-sanitizer prints, as records: texts by its manual's formats beside the records expected of them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verdictOfRuns } from '../../profiler/src/sanitizer/confirmed';
import { readSanitizerOutput, sanitizerTools, type SanitizerTool } from '../../profiler/src/sanitizer/sanitizerOutput';

const folder = join(__dirname, 'sanitizer');
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, unknown>;
const textOf = (name: string): string => readFileSync(join(folder, `${name}.txt`), 'utf8');

function read(tool: SanitizerTool, ...parts: readonly string[]) {
  const reader = readSanitizerOutput(tool);
  for (const part of parts) reader.feed(part);
  return reader.end();
}

describe('output of compute-sanitizer', () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
    const name = file.replace('.txt', '');
    const tool = sanitizerTools.find((each) => name.startsWith(each)) ?? 'racecheck';
    it(`gives the records of ${name}, whole or a character at a time`, () => {
      assert.deepEqual(read(tool, textOf(name)), expected[name]);
      assert.deepEqual(read(tool, ...textOf(name)), expected[name]);
    });
  }
  it('stays within bounds on hostile text', () => {
    const hostile = [
      '========= Invalid'.repeat(100_000),
      `${'========= Invalid x\n=========     at k()+0x1 in a.cu:1:2\n'.repeat(10)}=========     at ${'+0x'.repeat(1e6)}`,
      Array.from({ length: 5000 }, (_, at) => `========= Invalid ${at}\n`).join(''),
      `========= Error: Race reported between A access at x\n${'=========  and B access at k()+0x1 in a:1\n'.repeat(9e4)}`,
      '=========     at k()+0x1 in a.cu:1\n========= ERROR SUMMARY: \u0000\u001b[31m',
    ];
    for (const text of hostile) {
      const { records, omitted } = read('memcheck', text);
      assert.ok(records.length <= 1000 && JSON.stringify(records).length < 1e6);
      assert.equal(omitted, text.startsWith('========= Invalid 0') ? 4000 : 0);
    }
  });
  it('confirms lines of a file, and says not found only of a whole report', () => {
    const { records } = read('racecheck', textOf('racecheck'));
    const verdict = (tool: SanitizerTool, name: string, line: number, isWhole = true) => {
      const run = { tool: 'racecheck', records, isComplete: true, isWhole, notes: [] } as const;
      return verdictOfRuns(tool, [{ file: `/home/me/${name}.cu`, from: line, to: line + 1 }], [run]).state;
    };
    assert.equal(verdict('racecheck', 'race', 24), 'confirmed');
    for (const [name, line] of [
      ['race', 26],
      ['trace', 24],
    ] as const)
      assert.equal(verdict('racecheck', name, line), 'not-found');
    assert.equal(verdict('racecheck', 'race', 26, false), 'undecided');
    assert.equal(verdict('memcheck', 'race', 24), 'undecided');
  });
});
