// The samples: every planted problem is found and nothing else, and each fix compiles and is silent.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { registry } from '../../server/src/rules/registry';
import { lint } from '../../server/src/lint/lint';
import { lineTable } from '../../server/src/syntax/lines';
import type { Workspace } from '../../server/src/workspace/workspace';
import { memoryWorkspace } from '../support/analyseText';
import { readSampleFiles, samplesFolder } from '../support/sampleFiles';
import { compileAll, nvccVersion, type CompileJob } from '../support/nvcc';
import expectations from './expected.json';
import { skipBecause } from '../support/skipBecause';
import { depth, sampleOf } from '../support/depth';

interface Planted {
  readonly line: string;
  readonly rule: string;
  readonly message: string;
}

const files = readSampleFiles();
const samples = [...files.keys()]
  .filter((path) => path.endsWith('.cu'))
  .map((path) => relative(samplesFolder, path).replaceAll('\\', '/'))
  .sort();
const planted = expectations as Readonly<Record<string, readonly Planted[]>>;

/** The text with its own headers in place of their includes, so that it compiles wherever it lies. */
function selfContained(path: string, text: string, seen = new Set<string>()): string {
  return text.replace(/^#include "([^"]+)"$/gm, (_, name: string) => {
    const header = join(dirname(path), name);
    if (seen.has(header)) return '';
    seen.add(header);
    return selfContained(header, files.get(header) ?? '', seen).replace('#pragma once\n', '');
  });
}

describe('samples', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  let version = 0;
  const jobs: CompileJob[] = [];
  const only = new Set(registry.map(({ meta }) => meta.id).filter((id) => id !== 'cuda/bytes-in-flight'));
  before(async () => {
    workspace = await memoryWorkspace(files);
  });

  function findingsIn(
    sample: string,
    text: string,
  ): { readonly findings: readonly ResolvedFinding[]; readonly errors: readonly unknown[] } {
    const analysed = workspace.analyse(pathToFileURL(join(samplesFolder, sample)).href, { text, version: ++version })!;
    const result = lint(analysed.model, text, { gpu: analysed.gpu, only });
    deepStrictEqual(result.failures, [], 'no rule throws');
    deepStrictEqual(
      analysed.model.notes.filter((note) => note.at.uri.endsWith(sample) && /stopped/.test(note.text)),
      [],
      'the analysis ends',
    );
    return { findings: result.findings, errors: analysed.errors };
  }

  it('are all in the table, and the table names no others', () => {
    deepStrictEqual(
      Object.keys(planted).sort(),
      samples.filter((name) => !name.endsWith('.fixed.cu')),
    );
    for (const [name, problems] of Object.entries(planted))
      if (problems.length && !/^(ado|gather)\//.test(name))
        ok(samples.includes(name.replace(/\.cu$/, '.fixed.cu')), `${name} has a fixed form`);
  });

  for (const sample of samples) {
    const path = join(samplesFolder, sample);
    const text = files.get(path)!;
    it(`${sample}: ${sample.endsWith('.fixed.cu') || !planted[sample]?.length ? 'silence' : 'its problems, and nothing else'}`, () => {
      const lines = text.split('\n');
      const table = lineTable(text);
      const { findings, errors } = findingsIn(sample, text);
      deepStrictEqual(errors, [], 'it parses');
      const wanted = (planted[sample] ?? []).map((problem) => {
        const matching = lines.flatMap((line, at) => (new RegExp(problem.line).test(line) ? [at] : []));
        deepStrictEqual(matching.length, 1, `"${problem.line}" marks one line`);
        return { ...problem, line: matching[0]! };
      });
      const found = findings.map((finding) => ({
        line: table.positionAt(finding.at.start).line,
        rule: finding.rule,
        message: finding.message,
        text: finding.text,
      }));
      const fits = (problem: (typeof wanted)[number], finding: (typeof found)[number]): boolean =>
        problem.line === finding.line && problem.rule === finding.rule && problem.message === finding.message;
      deepStrictEqual(
        wanted
          .filter((problem) => !found.some((finding) => fits(problem, finding)))
          .map(({ line, rule, message }) => `${line + 1}: ${rule} ${message}`),
        [],
        'missed',
      );
      deepStrictEqual(
        found
          .filter((finding) => !wanted.some((problem) => fits(problem, finding)))
          .map((finding) => `${finding.line + 1}: ${finding.rule} ${finding.message}: ${finding.text}`),
        [],
        'alarms',
      );
    });

    it(`${sample}: each fix parses and removes its finding`, () => {
      jobs.push({ name: sample, text: selfContained(path, text) });
      const before = findingsIn(sample, text).findings;
      for (const finding of before) {
        for (const fix of finding.fixes) {
          const edited = applyEdits(text, fix.edits, pathToFileURL(path).href);
          ok(edited !== undefined && edited !== text, `"${fix.title}" changes the file`);
          const after = findingsIn(sample, edited);
          deepStrictEqual(after.errors, [], `"${fix.title}" leaves a file that parses`);
          ok(
            after.findings.filter((other) => other.rule === finding.rule).length <
              before.filter((other) => other.rule === finding.rule).length,
            `"${fix.title}" removes its finding\n${edited}`,
          );
          jobs.push({ name: `${sample} after "${fix.title}"`, text: selfContained(path, edited) });
        }
      }
      const uri = pathToFileURL(path).href;
      const mended = fixAll(text, uri, before, (next) => findingsIn(sample, next).findings);
      ok(mended.converged, 'the safe fixes converge');
      const safe = (finding: ResolvedFinding): boolean => finding.fixes.some((fix) => fix.applicability === 'safe');
      const left = findingsIn(sample, mended.text).findings;
      deepStrictEqual(
        left.map((finding) => `${finding.rule} ${finding.message}`).sort(),
        before
          .filter((finding) => !safe(finding))
          .map((finding) => `${finding.rule} ${finding.message}`)
          .sort(),
        'findings with safe fixes are gone, and no new ones appear',
      );
      if (mended.text !== text)
        jobs.push({ name: `${sample} after its safe fixes`, text: selfContained(path, mended.text) });
    });
  }

  if (depth !== 'quick')
    it('nvcc takes samples, before and after each fix: all in a deep run', async function () {
      this.timeout(900_000);
      const compiler = nvccVersion();
      if (compiler === undefined) {
        skipBecause(this, 'there is no nvcc on this machine');
      }
      const failures = await compileAll(sampleOf(jobs, 4), compiler);
      deepStrictEqual(
        failures.map(({ name, error }) => `${name}\n${error}`),
        [],
      );
    });
});
