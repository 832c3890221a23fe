// The OpenACC samples: what is found in each stage, and that fixes lead from stage to stage and compile.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdits } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { lineTable } from '../../server/src/syntax/lines';
import type { Workspace } from '../../server/src/workspace/workspace';
import { accCompilers, accLanguage, compileAcc, type AccJob } from '../support/accCompilers';
import { memoryWorkspace } from '../support/analyseText';
import expectations from './openacc.json';
import { skipBecause } from '../support/skipBecause';

interface Planted {
  readonly line: string;
  readonly rule: string;
  readonly message: string;
}

const folder = join(__dirname, '../../samples/openacc');
const files = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:c|h|f90|inc)$/.test(name) && !name.startsWith('build'))
    .map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]),
);
const samples = [...files.keys()]
  .map((path) => path.slice(folder.length + 1))
  .filter((name) => accLanguage(name) !== undefined)
  .sort();
const planted = expectations as Readonly<Record<string, readonly Planted[]>>;

/** From the first stage to the last by the fixes of the rules in turn; the message that each leaves for the next. */
const walks: readonly { readonly from: string; readonly steps: readonly string[] }[] = ['c', 'f90'].flatMap(
  (ending) => [
    {
      from: `conjugate-gradient/1-naive.${ending}`,
      steps: ['acc/missing-data-region', 'acc/missing-mapping', 'acc/vector-length', 'acc/missing-workers'],
    },
    { from: `conjugate-gradient/2-data-region.${ending}`, steps: ['acc/vector-length', 'acc/missing-workers'] },
    { from: `conjugate-gradient/2-vector-128.${ending}`, steps: ['acc/vector-length', 'acc/missing-workers'] },
    {
      from: `conjugate-gradient/kernels-1-compiler-chooses.${ending}`,
      steps: ['acc/vector-length', 'acc/missing-workers'],
    },
    { from: `stencil/1-naive.${ending}`, steps: ['acc/missing-data-region', 'acc/uncoalesced-vector'] },
  ],
);

describe('OpenACC samples', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  let version = 0;
  const jobs: AccJob[] = [];
  before(async () => {
    workspace = await memoryWorkspace(files);
    await workspace.ready(pathToFileURL(join(folder, 'any.f90')).href);
  });
  const uriOf = (sample: string): string => pathToFileURL(join(folder, sample)).href;

  function findingsIn(sample: string, text: string): readonly ResolvedFinding[] {
    const analysed = workspace.analyse(uriOf(sample), { text, version: ++version })!;
    const result = lint(analysed.model, text, { gpu: analysed.gpu });
    deepStrictEqual(result.failures, [], 'no rule throws');
    deepStrictEqual(analysed.errors, [], 'it parses');
    return result.findings;
  }
  const selfContained = (text: string): string =>
    text
      .replace('#include "../problem.h"', () => files.get(join(folder, 'problem.h'))!)
      .replace('include "../problem.inc"', () => files.get(join(folder, 'problem.inc'))!);

  it('are all in the table, and the table names no others', () =>
    deepStrictEqual(Object.keys(planted).sort(), samples));

  for (const sample of samples) {
    const text = files.get(join(folder, sample))!;
    it(`${sample}: ${planted[sample]?.length ? 'its problems, and nothing else' : 'silence'}`, () => {
      const table = lineTable(text);
      const lines = text.split('\n');
      const wanted = (planted[sample] ?? []).map(({ line, rule, message }) => {
        strictEqual(lines.filter((each) => each.trim() === line).length, 1, `"${line}" marks one line`);
        return `${lines.findIndex((each) => each.trim() === line) + 1} ${rule} ${message}`;
      });
      deepStrictEqual(
        findingsIn(sample, text)
          .map(({ at, rule, message }) => `${table.positionAt(at.start).line + 1} ${rule} ${message}`)
          .sort(),
        wanted.sort(),
      );
    });

    it(`${sample}: each fix removes its finding`, () => {
      const before = findingsIn(sample, text);
      for (const finding of before) {
        for (const fix of finding.fixes) {
          const edited = applyEdits(text, fix.edits, uriOf(sample));
          ok(edited !== undefined && edited !== text, `"${fix.title}" changes the file`);
          ok(
            !findingsIn(sample, edited).some(
              ({ rule, message }) => rule === finding.rule && message === finding.message,
            ),
            `"${fix.title}" removes its finding\n${edited}`,
          );
          jobs.push({
            name: `${sample.replace(/\.(\w+)$/, ` after ${fix.title}`)}.${sample.split('.').at(-1)!}`,
            text: selfContained(edited),
          });
        }
      }
    });
  }

  for (const { from, steps } of walks) {
    it(`${from}: ${steps.join(', ')}, and then nothing`, () => {
      let text = files.get(join(folder, from))!;
      for (const step of steps) {
        const finding = findingsIn(from, text).find(({ rule }) => rule === step);
        ok(finding, `${step} is asked for\n${text}`);
        text = applyEdits(text, finding.fixes[0]!.edits, uriOf(from))!;
        jobs.push({
          name: `${from.replace(/\.(\w+)$/, ` up to ${step.replace('/', ' ')}`)}.${from.split('.').at(-1)!}`,
          text: selfContained(text),
        });
      }
      deepStrictEqual(
        findingsIn(from, text).map(({ rule, text: said }) => `${rule} ${said}`),
        [],
        text,
      );
    });
  }

  describe('compilers', () => {
    it('take what every fix makes', async function () {
      this.timeout(300_000);
      const { found } = accCompilers();
      if (found.length === 0) skipBecause(this, 'there is no compiler of OpenACC on this machine');
      deepStrictEqual(
        (await compileAcc(jobs, found)).map(({ name, compiler, error }) => `${name} (${compiler})\n${error}`),
        [],
      );
    });
  });
});
