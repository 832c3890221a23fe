// The model's figures on texts of our own: every access of a fixture is under carets with what a warp asks for.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessFact } from '../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/**
 * `//   ^^^^ load 32/4` below a line: the access under the carets asks for 32 sectors (wavefronts in shared memory)
 * where 4 are ideal, a mean over warps with at most two decimals. `gather` stands for figures that data decide, `fused`
 * for an access that another line carries; `assumed` follows where something was assumed.
 */
const folder = join(__dirname, 'model');
const caret = /^\s*\/\/\s*(\^+)\s+(.*?)\s*$/;

function figure(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function describeFact(fact: AccessFact): string {
  const cost = fact.gather
    ? 'gather'
    : fact.executions === 0
      ? 'fused'
      : fact.space === 'shared'
        ? fact.wavefronts === undefined
          ? 'unknown'
          : `${figure(fact.wavefronts)}/${figure(fact.wavefrontsIdeal!)}`
        : fact.sectors === undefined
          ? 'unknown'
          : `${figure(fact.sectors)}/${figure(fact.sectorsIdeal!)}`;
  return `${fact.mode} ${cost}${fact.assumed.length ? ' assumed' : ''}`;
}

/** The text without caret lines, and the caret lines as `line:column-column what` of that text. */
function readCarets(source: string): { text: string; expected: string[] } {
  const lines: string[] = [];
  const expected: string[] = [];
  for (const line of source.split('\n')) {
    const match = caret.exec(line);
    if (!match) {
      lines.push(line);
      continue;
    }
    const start = line.indexOf('^');
    expected.push(`${lines.length}:${start}-${start + match[1]!.length} ${match[2]}`);
  }
  return { text: lines.join('\n'), expected: expected.sort() };
}

async function factsOf(name: string, text: string): Promise<string[]> {
  const path = `/memory/${name}`;
  const workspace = await memoryWorkspace(new Map([[path, text]]));
  const { model } = workspace.analyse(memoryUri(name))!;
  return model.facts.access
    .filter((fact) => fact.space === 'global' || fact.space === 'shared')
    .map((fact) => {
      const before = text.slice(0, fact.at.start);
      const line = before.split('\n').length;
      const column = fact.at.start - (before.lastIndexOf('\n') + 1);
      return `${line}:${column}-${column + fact.at.end - fact.at.start} ${describeFact(fact)}`;
    })
    .sort();
}

describe('the model of accesses', () => {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.cu'))) {
    it(name, async () => {
      const { text, expected } = readCarets(readFileSync(join(folder, name), 'utf8'));
      assert.ok(expected.length > 0, 'the fixture has carets');
      assert.deepEqual(await factsOf(name, text), expected);
    });
  }
});
