// Prints the score of the last run of `node lab/mutation/mutate.mjs`, by file, as the table of docs/measurements/mutation.md.
import { existsSync, readFileSync } from 'node:fs';

const path = 'out/mutation/report.json';
if (!existsSync(path)) {
  console.error(`There is no ${path}: run "node lab/mutation/mutate.mjs" first.`);
  process.exit(2);
}
const { files } = JSON.parse(readFileSync(path, 'utf8'));
const row = (name, mutants) => {
  const count = (...of) => mutants.filter(({ status }) => of.includes(status)).length;
  const [seen, missed, unreached] = [count('Killed', 'Timeout'), count('Survived'), count('NoCoverage')];
  const of = seen + missed + unreached;
  return `| ${name} | ${of} | ${seen} | ${missed} | ${unreached} | ${of ? ((100 * seen) / of).toFixed(1) : '–'} |`;
};
console.log('| file | mutants | seen | survived | no test | score (%) |\n|---|--:|--:|--:|--:|--:|');
for (const [name, { mutants }] of Object.entries(files).sort())
  console.log(row(name.replace('server/src/semantic/', ''), mutants));
console.log(
  row(
    '**together**',
    Object.values(files).flatMap(({ mutants }) => mutants),
  ),
);
