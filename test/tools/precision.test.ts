// Every rule says how often it was right, or why nobody could say.
import { deepStrictEqual, ok } from 'node:assert';
import { registry } from '../../server/src/rules/registry';
import { precisionFigures, precisionPage, type PrecisionRow } from '../../tools/precision';

const { rows } = precisionFigures;

describe('precision by rule', () => {
  it('has a row for every rule, and none for another', () => {
    const ids = registry.map(({ meta }) => meta.id).sort();
    deepStrictEqual([...new Set(rows.map(({ rule }) => rule))].sort(), ids);
  });

  it('says in each row what was read and how much of it was right, or why nothing was', () => {
    const whole = (row: PrecisionRow): boolean =>
      row.notJudged === undefined
        ? Number.isInteger(row.read) && Number.isInteger(row.right) && !!row.of && !!row.last && row.right! <= row.read!
        : row.notJudged.length > 0 && row.read === undefined && row.right === undefined;
    deepStrictEqual(
      rows.filter((row) => !whole(row)),
      [],
    );
    const keys = rows.map(({ rule, of }) => `${rule} ${of}`);
    deepStrictEqual(
      keys.filter((key, at) => keys.indexOf(key) !== at),
      [],
    );
  });

  it('holds the newest figures within the sums', () => {
    const beyond = rows.filter(({ read, right, last }) => {
      const newest = /: (\d+) of (\d+)$/.exec(last ?? '');
      if (last === undefined) return false;
      return !newest || Number(newest[1]) > right! || Number(newest[2]) - Number(newest[1]) > read! - right!;
    });
    deepStrictEqual(beyond, []);
  });

  it('calls shares of fewer than ten places what they are', () => {
    const page = precisionPage();
    for (const { rule, of, read } of rows) {
      if (read === undefined) continue;
      const line = page.split('\n').find((one) => one.includes(`(../rules/${rule}.md) | ${of} |`));
      ok(line, `${rule} has a line`);
      ok(line.includes('too few to say') === read < 10, line);
    }
  });
});
