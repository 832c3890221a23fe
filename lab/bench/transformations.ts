// Counts what library style changes in the findings and figures of the samples and fixtures, by transformation.
//
//   npx tsx lab/bench/transformations.ts [--directives] [--only NAME] [--program PART] [--composed 3] [--seeds 1]
//     [--show] [--compile] [--part 0/4] [--known FILE] [--programs LIST]
//
// `--directives`: of the programs of OpenACC. LIST names files, one a line, that are transformed in place of the samples
// and fixtures.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { compare, type Compared, type Verdict } from '../../test/transformations/compare';
import { directiveSourcesOf, sourcesOf, type Source } from '../../test/transformations/corpus';
import {
  composedDirectives,
  directiveTransformations,
  transformedDirectives,
} from '../../test/transformations/directives';
import { accCompilers, compileAcc, type AccJob } from '../../test/support/accCompilers';
import { composed, transformations, transformed } from '../../test/transformations/transformations';
import type { Transformed } from '../../test/transformations/program';

const { values } = parseArgs({
  options: {
    directives: { type: 'boolean', default: false },
    only: { type: 'string' },
    program: { type: 'string', default: '' },
    composed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
    part: { type: 'string', default: '0/1' },
    known: { type: 'string' },
    compile: { type: 'boolean', default: false },
    programs: { type: 'string' },
  },
});
const verdicts: readonly Verdict[] = ['unchanged', 'softened', 'lost', 'wrong'];

/** The files of a list; what they include is not read. */
function listed(list: string): Source[] {
  const names = readFileSync(list, 'utf8').split('\n').filter(Boolean);
  return names.map((name) => ({ name, path: resolve(name), text: readFileSync(name, 'utf8'), beside: new Map() }));
}

/** What nvcc says against it, if it does. */
function errorsOf(source: Source, program: Transformed): string {
  const folder = join(tmpdir(), 'transformations', String(process.pid));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const at = join(folder, source.path);
  write(at, program.main.text);
  for (const [path, text] of source.beside) write(join(folder, path), text);
  for (const [name, { text }] of program.headers ?? []) write(join(dirname(at), name), text);
  try {
    const flags = [
      '-arch=sm_90',
      '-std=c++17',
      '--extended-lambda',
      '-w',
      '-c',
      '-O0',
      '-Xcicc',
      '-O0',
      '-o',
      '/dev/null',
      at,
    ];
    execFileSync('nvcc', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr);
  }
}

interface Draw {
  readonly names: readonly string[];
  readonly single: (source: Source, name: string) => Transformed | undefined;
  readonly composed: (source: Source, seed: number, most: number) => ReturnType<typeof composed>;
}

function drawn(syntax: Syntax): Draw {
  const byName = new Map(transformations.map((one) => [one.name, one]));
  return {
    names: [...byName.keys()],
    single: ({ text }, name) => transformed(syntax, text, byName.get(name)!),
    composed: ({ text }, seed, most) => composed(syntax, text, seed, most),
  };
}

function drawnDirectives(syntax: Syntax): Draw {
  const byName = new Map(directiveTransformations.map((one) => [one.name, one]));
  return {
    names: [...byName.keys()],
    single: ({ path, text }, name) => transformedDirectives(syntax, path, text, byName.get(name)!),
    composed: ({ path, text }, seed, most) => composedDirectives(syntax, path, text, seed, most),
  };
}

async function main(): Promise<void> {
  const syntax = await createSyntax(readGrammarFiles());
  const [part, parts] = values.part.split('/').map(Number) as [number, number];
  if (values.directives) await syntax.loadFortran();
  const draw = values.directives ? drawnDirectives(syntax) : drawn(syntax);
  const drawnFrom = values.directives ? directiveSourcesOf : sourcesOf;
  const sources = (values.programs ? listed(values.programs) : drawnFrom())
    .filter(({ name }) => name.includes(values.program))
    .filter((_, at) => at % parts === part);
  const table = new Map<string, { programs: number; whole: number } & Record<Verdict, number>>();
  const known: Record<string, string[]> = {};
  const jobs: AccJob[] = [];
  const add = (row: string, source: Source, program: Transformed, label: string): void => {
    const counts = table.get(row) ?? { programs: 0, whole: 0, unchanged: 0, softened: 0, lost: 0, wrong: 0 };
    table.set(row, counts);
    counts.programs++;
    if (values.print)
      console.log(
        `// ${label} ${source.name}\n${[...(program.headers ?? [])].map(([, { text }]) => text).join('')}${program.main.text}`,
      );
    if (values.compile && values.directives) {
      jobs.push({
        name: `${label} ${source.name.replace(/\.\w+$/, '')}${extname(program.path ?? source.path)}`,
        text: program.main.text,
      });
      return;
    }
    if (values.compile) {
      const errors = errorsOf(source, program);
      if (errors) console.log(`${label} ${source.name} does not compile: ${errors.slice(0, 1200)}`);
      return;
    }
    const results = compare(syntax, source.path, source.text, program, source.beside);
    for (const { verdict } of results) counts[verdict]++;
    const bad = results.filter(({ verdict }) => verdict !== 'unchanged');
    if (bad.length) known[row] = [...(known[row] ?? []), source.name];
    if (!bad.length) counts.whole++;
    else if (values.show) console.log(`${label}, ${source.name}:\n${bad.map(lineOf).join('\n')}`);
  };
  const lineOf = ({ verdict, line, before, after }: Compared): string =>
    `  ${verdict} line ${line}: ${before ?? '-'} => ${after ?? '-'}`;
  for (const source of sources) {
    if (values.composed)
      for (let seed = 1; seed <= Number(values.seeds); seed++) {
        const made = draw.composed(source, seed, Number(values.composed));
        if (made) add(`${values.composed} composed, seed ${seed}`, source, made.program, made.names.join(' + '));
      }
    else
      for (const name of draw.names) {
        if (values.only && !name.includes(values.only)) continue;
        const program = draw.single(source, name);
        if (program) add(name, source, program, name);
      }
  }
  for (const { name, error } of jobs.length ? await compileAcc(jobs, accCompilers().found) : [])
    console.log(`${name} does not compile: ${error.slice(0, 1200)}`);
  if (values.known) writeFileSync(values.known, `${JSON.stringify(known, undefined, 2)}\n`);
  console.log(
    '| transformation | programs | as before | unchanged | softened | lost | wrong |\n|---|---|---|---|---|---|---|',
  );
  for (const [name, counts] of table) {
    const sum = verdicts.reduce((total, one) => total + counts[one], 0);
    const part = (one: Verdict): string => `${((100 * counts[one]) / Math.max(1, sum)).toFixed(1)} %`;
    console.log(`| ${name} | ${counts.programs} | ${counts.whole} | ${verdicts.map(part).join(' | ')} |`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 2;
});
