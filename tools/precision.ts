// The page of how often each rule was right at the first look, from docs/measurements/precision-rules.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Places of one severity of a rule that were judged in code that was never opened before; or why there are none. */
export interface PrecisionRow {
  readonly rule: string;
  readonly of?: string;
  readonly read?: number;
  readonly right?: number;
  /** What the newest rounds say, which were run with the fixes of older ones. */
  readonly last?: string;
  readonly note?: string;
  readonly notJudged?: string;
}
interface PrecisionFigures {
  readonly libraries: { readonly cuda: number; readonly openacc: number };
  readonly rows: readonly PrecisionRow[];
}

/** Below this many places a share says nothing. */
const fewPlaces = 10;

const file = join(__dirname, '../docs/measurements/precision-rules.json');
export const precisionFigures = JSON.parse(readFileSync(file, 'utf8')) as PrecisionFigures;

function rowText({ rule, of, read, right, last, note, notJudged }: PrecisionRow): string {
  const link = `[${rule}](../rules/${rule}.md)`;
  if (notJudged !== undefined) return `| ${link} | not judged | | | | | ${notJudged} |`;
  const share = read! < fewPlaces ? 'too few to say' : `${Math.round((100 * right!) / read!)} %`;
  return `| ${link} | ${of} | ${read} | ${right} | ${share} | ${last} | ${note ?? ''} |`;
}

export function precisionPage(): string {
  const { libraries, rows } = precisionFigures;
  const few = rows
    .filter(({ read }) => read !== undefined && read < fewPlaces)
    .map(({ rule, of }) => `${rule} (${of})`);
  const none = rows.filter(({ notJudged }) => notJudged !== undefined).map(({ rule }) => rule);
  return [
    '# How often each rule is right',
    '',
    'Places that were judged at the first look at code that was never opened before, all rounds together: findings ' +
      'that were right or useful, of those that were read. [What was read, and what became of the kinds that ' +
      'were not right](precision.md), with [OpenACC](precision-openacc.md). The figures are beside this page, in ' +
      'precision-rules.json.',
    '',
    `The rounds opened ${libraries.cuda} libraries and programs of CUDA and ${libraries.openacc} codes with OpenACC; ` +
      'a rule that is silent in one has nothing to be judged there. Sums over all rounds say more of what the rules ' +
      'were than of what they are: the newest rounds are nearer to that, and rest on few libraries. Several findings ' +
      'of one text count each.',
    '',
    `**Fewer than ${fewPlaces} places were read** of ${few.join(', ')}; none of ${none.join(', ')}.`,
    '',
    '| rule | findings | read | right or useful | share | last rounds | |',
    '|---|---|--:|--:|--:|---|---|',
    ...rows.map(rowText),
    '',
  ].join('\n');
}
