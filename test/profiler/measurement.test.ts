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
            if (/\.(?:c|f90)$/.test(mark.line.file))
              assert.doesNotMatch(views.join(), /shuffle|smaller blocks|shared accesses/);
            compared++;
          }
        }
      }
      for (const path of [...files.keys()].filter((file) => file.endsWith('.cu'))) {
        const findings = await findingsOf(path, files);
        const sources = [{ file: path, lineOf: (line: number) => line }];
        const evidence = joinEvidence(findings, { report: name, kernels, sources });
        for (const [at, finding] of findings.entries()) {
          const [line, more] = stakeLines(finding);
          const marks = kernels
            .flatMap((kernel) => marksOf(kernel, 'samples'))
            .filter((mark) => mark.line.line === line);
          const { share, text } = evidence[at] ?? {};
          if (share !== undefined && more === undefined && marks.length === 1)
            assert.ok(text!.includes(` ${marks[0]!.figure} of `));
        }
      }
      assert.ok(compared > 0);
    });
});
