// Every rule against its fixtures: what it finds, and that its fixes remove that and nothing else.
import { deepStrictEqual, fail, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { type Fix, needsGain } from '../../server/src/rules/rule';
import { registry } from '../../server/src/rules/registry';
import { verified } from '../../server/src/semantic';
import { longestTitle } from '../../server/src/semantic/excerpt';
import { once } from '../../server/src/semantic/language';
import { lineTable } from '../../server/src/syntax/lines';
import type { Analysed, Workspace } from '../../server/src/workspace/workspace';
import { memoryUri, memoryWorkspace } from '../support/analyseText';
import { readFixture, type Expectation } from '../support/fixtureFile';
import { accCompilers, accLanguage, compileAcc, mistakeRules, type AccJob } from '../support/accCompilers';
import { mutated } from '../support/mutated';
import { compileAll, nvccVersion, type CompileJob } from '../support/nvcc';
import { skipBecause } from '../support/skipBecause';
import { depth, sampleOf } from '../support/depth';

const rulesFolder = join(__dirname, '../../server/src/rules');
const jobs: CompileJob[] = [];
const accJobs: AccJob[] = [];
/** CUDA, C, C++, and Fortran of both forms. */
const sources = /\.(cu|c|cpp|f90|f)$/i;
const fixed = /\.fixed\.\w+$/;

describe('rule fixtures', function () {
  this.timeout(120_000);
  let workspace: Workspace;
  const files = new Map<string, string>();
  // Facts are kept from one version of a text to the next: a mutant would be handed what the code found before it.
  (mutated ? beforeEach : before)(async () => {
    workspace = await memoryWorkspace(files);
    await workspace.ready(memoryUri('any.f90'));
    kept.clear();
  });

  interface Found {
    readonly findings: readonly ResolvedFinding[];
    readonly errors: Analysed['errors'];
  }
  /** By file and text: the tests of a file ask for the same texts, each fix of which is verified by two runs. */
  const kept = new Map<string, Found>();
  /** Findings of all rules, and the syntax they rest on. */
  function findingsIn(name: string, text: string): Found {
    const key = `${name}\n${text}`;
    const found = kept.get(key) ?? analyse(name, text);
    kept.set(key, found);
    return found;
  }

  let version = 0;
  function read(name: string, text: string): Analysed {
    files.clear();
    for (const build of ['Makefile', 'CMakeLists.txt']) {
      const path = join(rulesFolder, name.replace(/(\.fixed)?\.\w+$/, `.${build}`));
      if (existsSync(path)) files.set(join(dirname(fileURLToPath(memoryUri(name))), build), readFileSync(path, 'utf8'));
    }
    workspace.filesChanged();
    return workspace.analyse(memoryUri(name), { text, version: ++version })!;
  }
  function analyse(name: string, text: string): Found {
    const { model, gpu, errors } = read(name, text);
    const result = lint(model, text, { gpu });
    deepStrictEqual(result.failures, [], 'no rule throws');
    const isProven = ({ edits, proof, mends }: Fix): boolean => {
      const after = proof && applyEdits(text, edits, memoryUri(name));
      return after === undefined || 'same' in verified(model, read(name, after).model, mends);
    };
    // Of most texts only the findings are compared.
    const proven = once(({ fixes }: ResolvedFinding) => fixes.filter(isProven));
    const lazily = (each: ResolvedFinding) => Object.defineProperty({ ...each }, 'fixes', { get: () => proven(each) });
    return { findings: result.findings.map(lazily), errors };
  }

  for (const rule of registry) {
    const { id } = rule.meta;
    const folder = join(rulesFolder, id);
    const names = readdirSync(folder)
      .filter((name) => sources.test(name))
      .sort();
    describe(id, () => {
      after(() => kept.clear());
      it('has fixtures of both kinds', () => {
        ok(
          names.some((name) => name.startsWith('bad')) && names.some((name) => name.startsWith('good')),
          'at least one bad* and one good* file',
        );
      });

      it('shows each of its messages in a fixture', () => {
        const shown = new Set(
          names.flatMap((name) =>
            readFixture(readFileSync(join(folder, name), 'utf8')).expected.map((one) => one.message),
          ),
        );
        deepStrictEqual(
          Object.keys(rule.meta.messages).filter((message) => !shown.has(message)),
          [],
        );
      });

      it('says of itself which fixes it has', () => {
        const offered = new Set<string>();
        for (const name of names.filter((each) => each.startsWith('bad')))
          for (const finding of findingsIn(`${id}/${name}`, readFixture(readFileSync(join(folder, name), 'utf8')).text)
            .findings)
            if (finding.rule === id) for (const fix of finding.fixes) offered.add(fix.applicability);
        const kind = offered.size > 1 ? 'both' : ([...offered][0] ?? 'no');
        strictEqual(rule.meta.fixable, kind, 'meta.fixable, beside the fixes that its examples are offered');
      });

      for (const name of names) {
        const full = `${id}/${name}`;
        const { text, expected, trades } = readFixture(readFileSync(join(folder, name), 'utf8'));
        const uri = memoryUri(full);
        const own = (findings: readonly ResolvedFinding[]): readonly ResolvedFinding[] =>
          findings.filter((finding) => finding.rule === id);

        it(`${name}: finds what its carets mark, and nothing else`, () => {
          if (name.startsWith('good')) strictEqual(expected.length, 0, 'a good file has no carets');
          if (name.startsWith('bad') && !fixed.test(name)) ok(expected.length > 0, 'a bad file has carets');
          if (name.endsWith('.cu')) jobs.push({ name: full, text });
          const { findings, errors } = findingsIn(full, text);
          deepStrictEqual(errors, [], 'the file parses');
          compare(text, expected, own(findings));
          for (const finding of findings) isShort(finding);
          for (const finding of own(findings)) {
            const gap = placeholder.exec(finding.text);
            ok(!gap, `"${gap?.[0]}" of ${finding.message} has no value: ${finding.text}`);
          }
        });

        if (!name.startsWith('bad') || fixed.test(name)) continue;
        const fixedName = name.replace(/\.\w+$/, '.fixed$&');

        it(`${name}: each fix removes its finding and adds none`, () => {
          const before = findingsIn(full, text);
          for (const finding of own(before.findings)) {
            for (const [index, fix] of finding.fixes.entries()) {
              const label = `"${fix.title}" for ${finding.message} at line ${lineTable(text).positionAt(finding.at.start).line + 1}`;
              const edited = applyEdits(text, fix.edits, uri);
              if (edited === undefined) fail(`${label}: its edits conflict`);
              ok(edited !== text, `${label}: changes something`);
              if (name.endsWith('.cu')) jobs.push({ name: `${full} with fix ${index + 1}, ${label}`, text: edited });
              // Of several mistakes one fix leaves the others.
              else if (accLanguage(name) !== undefined && !mistakeRules.has(id))
                accJobs.push({ name: `${id} with fix ${index + 1}, ${label}, in ${name}`, text: edited });
              const after = findingsIn(full, edited);
              deepStrictEqual(after.errors, [], `${label}: the result parses\n${edited}`);
              ok(
                own(after.findings).length < own(before.findings).length,
                `${label}: the finding is gone\n${edited}\n${listed(edited, own(after.findings))}`,
              );
              deepStrictEqual(
                added(before.findings, after.findings),
                fix.applicability === 'unsafe' || rule.meta.family === 'acc' ? trades : [],
                `${label}: adds none\n${edited}`,
              );
              if (fix.applicability === 'safe')
                deepStrictEqual(lostComments(text, edited), [], `${label}: keeps every comment`);
            }
          }
        });

        it(`${name}: all fixes together give ${fixedName}`, () => {
          const { findings } = findingsIn(full, text);
          if (!own(findings).some((finding) => finding.fixes.length > 0)) {
            ok(!existsSync(join(folder, fixedName)), `${fixedName} is there, but no fix is offered`);
            return;
          }
          const applied = (next: string) =>
            fixAll(
              next,
              uri,
              findingsIn(full, next).findings,
              (each) => findingsIn(full, each).findings,
              (_, finding) => finding.rule === id,
            );
          const result = applied(text);
          ok(result.converged, 'the fixes converge');
          if (!existsSync(join(folder, fixedName))) fail(`${fixedName} is missing; the fixes give\n${result.text}`);
          const wanted = readFixture(readFileSync(join(folder, fixedName), 'utf8'));
          strictEqual(result.text, wanted.text);
          strictEqual(applied(result.text).applied, 0, 'once more changes nothing');
        });
      }
    });
  }

  describe('OpenACC compilers', () => {
    it('take what fixes make, all of it in a deep run (the examples themselves are compiled in accCompilers.test.ts)', async function () {
      this.timeout(300_000);
      if (mutated) skipBecause(this, 'mutants are distinguished by texts');
      const { found } = accCompilers();
      if (found.length === 0) skipBecause(this, 'there is no compiler of OpenACC on this machine');
      const failures = await compileAcc(sampleOf(accJobs, 12), found);
      deepStrictEqual(
        failures.map(({ name, compiler, error }) => `${name} (${compiler})\n${error}`),
        [],
      );
    });
  });

  // In a separate suite, because a suite's own tests run before those of the suites inside it.
  describe('nvcc', () => {
    if (depth === 'quick') return;
    it('takes fixtures, before and after each fix: all in a deep run', async function () {
      this.timeout(900_000);
      if (mutated) skipBecause(this, 'mutants are distinguished by texts');
      const compiler = nvccVersion();
      if (compiler === undefined) {
        skipBecause(this, 'there is no nvcc on this machine');
      }
      const failures = await compileAll(sampleOf(jobs, 6), compiler);
      deepStrictEqual(
        failures.map(({ name, error }) => `${name}\n${error}`),
        [],
      );
    });
  });
});

/** A narrow list shows the first clause of a finding, a menu the title of a fix. */
function isShort({ text, fixes, message }: ResolvedFinding): void {
  const [clause] = /^.*?(?=[.:;?](?:\s|$))/s.exec(text) ?? [text];
  ok(clause.length <= 60, `${clause.length} characters in the first clause of ${message}: ${clause}`);
  for (const { title } of fixes) ok(title.length <= longestTitle, `${title.length} characters: ${title}`);
  deepStrictEqual([...new Set(fixes.map(({ title }) => title))].length, fixes.length, 'no two fixes of one title');
}

/** What a message prints where a rule gives no value of the name that is in it. */
const placeholder = /\{[a-z]\w*\}/i;

function compare(text: string, expected: readonly Expectation[], findings: readonly ResolvedFinding[]): void {
  const table = lineTable(text);
  const found = findings.map((finding) => {
    const start = table.positionAt(finding.at.start);
    const end = Math.min(finding.at.end, table.lineSpan(start.line).end);
    return {
      line: start.line,
      column: start.character,
      length: end - finding.at.start,
      message: finding.message,
      severity: finding.severity,
    };
  });
  const show = (one: Expectation): string =>
    `${one.line + 1}:${one.column + 1}+${one.length} ${one.message}${one.severity ? ` ${one.severity}` : ''}  ${text.slice(table.lineSpan(one.line).start + one.column).slice(0, one.length)}`;
  const wanted = expected.map(show).sort();
  const got = found
    .map((one) => {
      const match = expected.find(
        (candidate) =>
          candidate.line === one.line && candidate.column === one.column && candidate.message === one.message,
      );
      return show(match?.severity ? one : { ...one, severity: undefined });
    })
    .sort();
  deepStrictEqual(got, wanted, findings.map((finding) => finding.text).join('\n'));
}

function listed(text: string, findings: readonly ResolvedFinding[]): string {
  const table = lineTable(text);
  return findings
    .map((finding) => `line ${table.positionAt(finding.at.start).line + 1}: ${finding.message}: ${finding.text}`)
    .join('\n');
}

/** Rules and messages that are reported more often than before, but for what is next where time was saved. */
function added(before: readonly ResolvedFinding[], after: readonly ResolvedFinding[]): string[] {
  const metas = new Map(registry.map(({ meta }) => [meta.id, meta]));
  const keyOf = ({ rule, message }: ResolvedFinding): string => `${rule} ${message}`;
  const left = before.map(keyOf);
  const named = after.filter(({ rule, message }) => !needsGain(metas.get(rule)!, message)).map(keyOf);
  return [...new Set(named.filter((key) => !left.includes(key) || left.splice(left.indexOf(key), 1).length === 0))];
}

function lostComments(before: string, after: string): string[] {
  const comments = (text: string): string[] =>
    [...text.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=^[ \t]*)!(?!\$)[^\n]*/gm)].map((match) => match[0].trim());
  const left = comments(after);
  return comments(before).filter((comment) => {
    const at = left.indexOf(comment);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
