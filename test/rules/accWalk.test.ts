// The walk of the OpenACC samples: what the mapping rules ask for, one fix after the other, until they are silent.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { applyEdits } from '../../server/src/workspace/edits';
import { lint } from '../../server/src/lint/lint';
import type { Workspace } from '../../server/src/workspace/workspace';
import { memoryUri, memoryWorkspace, testSyntax } from '../support/analyseText';

const samples = join(__dirname, '../../samples/openacc');
const rules = join(__dirname, '../../server/src/rules');
const mapping =
  /^acc\/(vector-length|missing-workers|missing-mapping|block-limit|uncoalesced-vector|missing-collapse)$/;

describe('walk of the OpenACC samples', () => {
  let workspace: Workspace;
  let version = 0;
  before(async function () {
    this.timeout(30_000);
    await (await testSyntax()).loadFortran();
    workspace = await memoryWorkspace(new Map());
  });

  /** The rules in the order in which they ask, each answered with its fix of this number (or its last). */
  function walk(path: string, choice = 0): { readonly asked: readonly string[]; readonly text: string } {
    let text = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|!)\s*(\^+ |trades for:)/.test(line))
      .join('\n');
    const uri = memoryUri(basename(path));
    const asked: string[] = [];
    for (let round = 0; round < 8; round++) {
      const { model, gpu } = workspace.analyse(uri, { text, version: ++version })!;
      const finding = lint(model, text, { gpu }).findings.find((one) => mapping.test(one.rule));
      if (!finding) return { asked, text };
      asked.push(finding.rule);
      const fix = finding.fixes[Math.min(choice, finding.fixes.length - 1)];
      ok(fix, `${finding.rule} has a fix`);
      const next = applyEdits(text, fix.edits, uri);
      ok(next !== undefined && next !== text);
      text = next;
    }
    throw new Error(`no end: ${asked.join()}`);
  }

  const product = ['acc/vector-length', 'acc/missing-workers'];
  for (const [name, asked] of [
    ['conjugate-gradient/1-naive', ['acc/missing-mapping', ...product]],
    ['conjugate-gradient/2-data-region', product],
    ['conjugate-gradient/3-vector-32', product.slice(1)],
    ['conjugate-gradient/4-workers', []],
    ['conjugate-gradient/kernels-1-compiler-chooses', product],
    ['conjugate-gradient/kernels-2-vector-32', product.slice(1)],
    ['conjugate-gradient/kernels-3-workers', []],
    ['stencil/1-naive', ['acc/uncoalesced-vector']],
    ['stencil/3-rows', []],
  ] as const)
    for (const language of ['c', 'f90']) {
      it(`${name}.${language}: ${asked.join(', ') || 'nothing'}`, () => {
        deepStrictEqual(walk(join(samples, `${name}.${language}`)).asked, asked);
      });
    }

  it('in the kernels form the lengths go to the loops', () => {
    const { asked, text } = walk(join(rules, 'acc/vector-length/bad-kernels.cpp'));
    deepStrictEqual(asked, ['acc/vector-length', 'acc/missing-workers', 'acc/vector-length', 'acc/missing-workers']);
    ok(
      /#pragma acc loop gang worker\(4\)\n\s*for \(unsigned i/.test(text) &&
        /#pragma acc loop vector\(32\)\n\s*for \(unsigned k/.test(text),
      text,
    );
  });

  it('for NVIDIA alone all of it follows device_type', () => {
    const { asked, text } = walk(join(rules, 'acc/vector-length/bad-rows.c'), 1);
    deepStrictEqual(asked, product);
    ok(
      text.includes('present(first, column, value, x, y) device_type(nvidia) vector_length(32) worker num_workers(8)'),
      text,
    );
    ok(text.includes('#pragma acc loop reduction(+:sum) device_type(nvidia) vector'), text);
  });
});
