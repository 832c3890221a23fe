// Records what nvcc makes of every merging case, npx tsx lab/fuzz/merging.ts; with a part from 1 to 4 it only compares.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergingCases } from '../../test/semantic/merging/cases';
import { compilerAtHand } from '../../test/semantic/merging/machineCode';
import { observed, predicted } from '../../test/semantic/merging/observed';

const compiler = compilerAtHand();
if (!compiler) {
  console.error('nvcc or readelf is not installed: the recorded facts stay as they are.');
  process.exitCode = 2;
} else {
  const part = Number(process.argv[2] ?? 0);
  const cases = mergingCases(part);
  const facts = observed(cases);
  if (part === 0) {
    const recorded = { compiler, cases: Object.fromEntries(cases.map((each, at) => [each.name, facts[at]])) };
    writeFileSync(
      join(__dirname, '../../test/semantic/merging/facts.json'),
      `${JSON.stringify(recorded, undefined, 1)}\n`,
    );
  }
  const wrong = cases.filter((each, at) => predicted(each) !== facts[at]);
  for (const each of wrong)
    console.log(`${each.name}\n  nvcc      ${facts[cases.indexOf(each)]}\n  predicted ${predicted(each)}`);
  console.log(`${cases.length - wrong.length} of ${cases.length} cases are predicted as nvcc has them`);
}
