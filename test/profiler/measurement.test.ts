// What the views print of a measured line, on every recorded report: the same share, ratio and age in each.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinEvidence, stakeLines } from '../../profiler/src/evidence/joinEvidence';
import { hoverText } from '../../profiler/src/overlay/hoverText';
import { lineFigures } from '../../profiler/src/overlay/lineFigures';
import { excessesOf, marksOf, ratioText } from '../../profiler/src/overlay/marks';
import { piecesOf, timeText, waitsOf } from '../../profiler/src/overlay/measurement';
import { pageModel } from '../../profiler/src/overlay/reportPage';
import { findingsOf, readReport } from './evidenceOf';

const profiles = join(__dirname, '../../samples/profiles');
const reports = readdirSync(profiles).filter((name) => name.endsWith('.ncu-rep'));

describe('a measured line', () => {
  let shares = 0;
  for (const name of reports)
    it(`has one figure and one age in all views: ${name}`, async () => {
      const { kernels, files } = await readReport(new Uint8Array(readFileSync(join(profiles, name))));
      let compared = 0;
      for (const stale of [false, true]) {
        const age = (_kernel: unknown, { line }: { readonly line: number }) => ({ line, stale });
        const page = pageModel({ name, kernels }, [], () => '', undefined, age);
        for (const kernel of kernels) {
          const onPage = page.kernels.find((each) => each.name === kernel.name)!;
          if (kernel.durationNs > 0 && kernel.lines.length > 0)
            assert.equal(onPage.duration, timeText(kernel.durationNs, stale));
          for (const [at, mark] of marksOf(kernel, 'samples').slice(0, 30).entries()) {
            const [figure] = piecesOf(mark, stale) as [string];
            const measured = [{ kernel, line: mark.line }];
            const hover = hoverText(measured, '', { ageOf: age }).replaceAll('\\', '');
            const views = [hover, lineFigures(measured, '', '', age).replaceAll('\\', ''), onPage.lines[at]!.share];
            for (const view of views)
              assert.match(view, new RegExp(`(?<!was )(?<![\\d.])${figure.replace('.', '\\.')}`));
            for (const { ratio, what } of excessesOf(kernel, mark.line))
              assert.ok(hover.includes(`**${ratioText(ratio)}** ${what}`), hover);
            const waits = waitsOf(kernel, mark.line, age);
            assert.equal(hover.includes(waits?.sentences ?? 'Waits'), !stale && waits !== undefined);
            if (stale) assert.doesNotMatch(hover, /Waits|Helps|Limit/);
            if (/\.(?:c|f90)$/.test(mark.line.file))
              assert.doesNotMatch(views.join(), /shuffle|smaller blocks|shared accesses/);
            compared++;
          }
        }
      }
      const hot = kernels.flatMap((kernel) => marksOf(kernel, 'samples'));
      for (const file of [...files.keys()].filter((path) => path.endsWith('.cu'))) {
        const findings = await findingsOf(file, files);
        const sources = [{ file, lineOf: (line: number) => line }];
        joinEvidence(findings, { report: name, kernels, sources }).forEach((evidence, at) => {
          const lines = stakeLines(findings[at]!);
          const marks = hot.filter(({ line }) => lines.length === 1 && line.line === lines[0]);
          if (evidence?.share === undefined || marks.length !== 1) return;
          assert.ok(evidence.text.includes(` ${marks[0]!.figure} of `), evidence.text);
          shares++;
        });
      }
      assert.ok(compared > 0);
    });

  it('has the share that its finding says', () => assert.ok(shares > 10, String(shares)));
});
