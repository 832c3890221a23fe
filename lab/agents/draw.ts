// Draws programs with known counters by a seed, and writes a task for agents of each, with the server's answers and
// without.
//
//   npx tsx lab/agents/draw.ts --corpora FOLDER --out FOLDER [--seed N] [--wasteful 10] [--controls 2]
//
// After `node tools/build.mjs cli`; needs nvcc, no GPU. README.md describes the output folder. Programs are drawn from
// the open set alone, because their lines are read. Exit status: 0, 2 for bad arguments.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadUse } from '../../cli/src/source';
import { randomOf, type Random } from '../../test/robustness/fuzz/random';
import { data, folderOf, ownPrograms, type Program, rows } from '../severity/programs';
import type { ProgramEntry } from '../severity/counters';
import { serverAnswers } from './serverAnswers';
import { taskText } from './task';
import { isControl, spotsIn, type Truth } from './truth';

/** A program that fits, before it has a number. */
type Drawn = Omit<Truth, 'id'> & { readonly folder: string };

const buildMilliseconds = 180_000;
/** A string that a program prints of its results: without one nothing says that a change kept them. */
const resultWord = /"[^"\n]*\b(?:pass(?:ed)?|fail|checksum|mismatch\w*|max error|rmse|(?:in)?correct|verif\w+)\b/i;

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
  return list;
}

/** The commit of a checkout; undefined where it has no history. */
function commitOf(checkout: string): string | undefined {
  if (!existsSync(join(checkout, '.git'))) return undefined;
  return execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

/** Copies the program, which is a folder or a file, and names the standard and the architecture that CUDA 13 has. */
function copyProgram(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  if (!statSync(from).isDirectory()) {
    cpSync(from, join(to, basename(from)));
    return;
  }
  cpSync(from, to, { recursive: true, filter: (path) => !/(^|\/)(\.git|CMakeLists\.txt)$/.test(path) });
  const makefile = join(to, 'Makefile');
  if (!existsSync(makefile)) return;
  const text = readFileSync(makefile, 'utf8');
  writeFileSync(
    makefile,
    text.replaceAll(/-std=c\+\+(98|03|11|14)/g, '-std=c++17').replaceAll(/\b(sm|compute)_[3-8]\d\b/g, '$1_90'),
  );
}

function buildOf(folder: string, { path, build }: ProgramEntry): string {
  if (existsSync(join(folder, 'Makefile'))) return 'make ARCH=sm_90';
  return `${build ?? 'nvcc -O3 -arch=sm_90'} -std=c++17 -o main ${basename(path)}`;
}

function builds(folder: string, build: string, command: string): boolean {
  try {
    execFileSync('sh', ['-c', build], { cwd: folder, stdio: 'ignore', timeout: buildMilliseconds });
  } catch {
    return false;
  }
  return existsSync(join(folder, command.split(' ')[0]!));
}

function printsResults(folder: string): boolean {
  return readdirSync(folder)
    .filter((name) => /\.(cu|cuh|c|cc|cpp|h|hpp)$/.test(name))
    .some((name) => resultWord.test(readFileSync(join(folder, name), 'utf8')));
}

/** Why a program is not drawn, or what is drawn of it, with a copy of it in `folder`. */
function tryProgram(program: Program, entry: ProgramEntry, corpora: string, folder: string): Drawn | string {
  const root = folderOf(corpora, entry.repo);
  const control = isControl(program);
  const spots = spotsIn(program, root);
  if (!spots) return 'a bad line is outside of its folder, or has no text';
  if (!control && spots.worst.length === 0) return 'neither a bad line nor free of excess';
  copyProgram(join(root, entry.path), folder);
  if (!printsResults(folder)) return 'it prints no results';
  const command = entry.command ?? './main';
  const build = buildOf(folder, entry);
  const scratch = `${folder}.build`;
  cpSync(folder, scratch, { recursive: true });
  const built = builds(scratch, build, command);
  rmSync(scratch, { recursive: true });
  if (!built) return 'it does not build alone';
  const { repo, commit, gpu } = entry;
  return { program: program.id, repo, commit, gpu, build, command, control, ...spots, folder };
}

interface Wanted {
  readonly corpora: string;
  readonly out: string;
  readonly random: Random;
  readonly wasteful: number;
  readonly controls: number;
}

function draw({ corpora, out, random, wasteful, controls }: Wanted): Drawn[] {
  const entries = new Map(rows<ProgramEntry>(join(data, 'programs.jsonl')).map((entry) => [entry.program, entry]));
  const drawn: Drawn[] = [];
  const open = ownPrograms(['open'])
    .map((program) => ({ program, entry: entries.get(program.id)! }))
    .filter(({ entry }) => entry.stopped !== true && existsSync(join(folderOf(corpora, entry.repo), entry.path)));
  for (const repo of new Set(open.map(({ entry }) => entry.repo))) {
    const { commit } = open.find(({ entry }) => entry.repo === repo)!.entry;
    const found = commitOf(folderOf(corpora, repo));
    if (found === undefined) console.log(`${repo} has no history; check that it is at ${commit}.`);
    else if (found !== commit) throw new BadUse(`${repo} is at ${found}; check out ${commit}.`);
  }
  for (const [at, { program, entry }] of shuffled(open, random).entries()) {
    const missing = (control: boolean): number =>
      (control ? controls : wasteful) - drawn.filter((each) => each.control === control).length;
    if (missing(true) + missing(false) === 0) break;
    if (missing(isControl(program)) <= 0) continue;
    const said = tryProgram(program, entry, corpora, join(out, 'drawing', String(at)));
    if (typeof said === 'string') console.log(`${program.id}: ${said}`);
    else drawn.push(said);
  }
  if (drawn.length < wasteful + controls)
    throw new BadUse(`Only ${drawn.length} programs fit; ask for fewer, or give more checkouts.`);
  return shuffled(drawn, random);
}

async function writeKits(out: string, drawn: readonly Drawn[]): Promise<void> {
  const truth: Truth[] = [];
  const plan: string[] = [];
  for (const [at, { folder, ...known }] of drawn.entries()) {
    const id = String(at + 1).padStart(2, '0');
    const original = join(out, 'original', id);
    cpSync(folder, original, { recursive: true });
    for (const arm of ['text', 'mcp'] as const) {
      const kit = join(out, arm, id);
      cpSync(folder, kit, { recursive: true });
      writeFileSync(join(kit, 'task.md'), taskText(id, known, arm));
      mkdirSync(join(out, arm, 'answer', id), { recursive: true });
    }
    const server = join(out, 'mcp', id, 'server');
    mkdirSync(server);
    const answers = await serverAnswers(original);
    for (const [name, text] of answers) writeFileSync(join(server, name), text);
    truth.push({ id, ...known });
    plan.push([id, known.build, known.command].join('\t'));
    console.log(`${id} ${known.program}${known.control ? ' (control)' : ''}: ${answers.size} answers of the server`);
  }
  writeFileSync(join(out, 'truth.jsonl'), truth.map((each) => `${JSON.stringify(each)}\n`).join(''));
  writeFileSync(join(out, 'plan.tsv'), plan.map((each) => `${each}\n`).join(''));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      corpora: { type: 'string' },
      out: { type: 'string' },
      seed: { type: 'string', default: '1' },
      wasteful: { type: 'string', default: '10' },
      controls: { type: 'string', default: '2' },
    },
  });
  if (values.corpora === undefined || values.out === undefined)
    throw new BadUse('Give --corpora FOLDER, which holds checkouts as OWNER+NAME, and --out FOLDER.');
  const [seed, wasteful, controls] = [values.seed, values.wasteful, values.controls].map(Number) as [
    number,
    number,
    number,
  ];
  if (![seed, wasteful, controls].every((each) => Number.isInteger(each) && each >= 0))
    throw new BadUse('--seed, --wasteful and --controls take whole numbers from 0.');
  const out = resolve(values.out);
  if (existsSync(out) && readdirSync(out).length > 0) throw new BadUse(`${out} is not empty; name another folder.`);
  const drawn = draw({ corpora: resolve(values.corpora), out, random: randomOf(seed), wasteful, controls });
  await writeKits(out, drawn);
  rmSync(join(out, 'drawing'), { recursive: true });
}

void main().catch((error: unknown) => {
  if (!(error instanceof BadUse)) throw error;
  console.error(error.message);
  process.exitCode = 2;
});
