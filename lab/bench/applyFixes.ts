// Applies every fix that is offered in programs, so that both sides can be built and run.
//
// npx tsx lab/bench/applyFixes.ts --root FOLDER --out FOLDER [--name REGEX] [--rule REGEX] [--literals] [--each] [--gpu NAME]
//
// Each folder below `--root` is one program. Its findings are read as `warplens check` reads them, at every severity;
// per round the fixes that do not touch each other are made in a copy of the files that they change, and those that
// clash (or are a finding's second) wait for the next round, until each fix has been made once. `--out` gets
// ROUND/PROGRAM/FILE for each file changed, and `fixes.jsonl`: per program and round the rules, lines and titles.
// Literals (cuda/double-in-float), which change results by rounding, are left out unless `--literals` asks for them
// alone. `--each` gives every fix its own round, tried as a menu tries it, with its kernel, the gain that the menu
// promises (least, most), and the times that are predicted of kernels whose time changes (µs before, µs after).
// Exit status: 0 whatever is found, 2 for bad arguments.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openWorkspace, readAnalysisFlags, uriOf } from '../../cli/src/analysis';
import { usual } from '../../server/src/cost/choice';
import { predictedGains } from '../../server/src/cost/kernelTime';
import { applyEdits, conflict } from '../../server/src/workspace/edits';
import { lint } from '../../server/src/lint/lint';
import type { Fix, Interval } from '../../server/src/rules/rule';
import { lineTable } from '../../server/src/syntax/lines';
import { createTrials, type Trials } from '../../server/src/workspace/trials';
import { analysedIn } from './analysed';

interface Offered {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly fix: Fix;
  readonly kernel?: string;
  readonly gain?: Interval;
  readonly predicted: Times | undefined;
}

/** Microseconds of kernels before and after. */
type Times = Readonly<Record<string, readonly [number, number]>>;

const literals = 'cuda/double-in-float';

/** All fixes in rounds: within one none touches what another does, and every fix is in exactly one. */
function inRounds(offered: readonly Offered[]): Offered[][] {
  const rounds: Offered[][] = [];
  for (const one of offered) {
    const free = rounds.find((round) =>
      round.every(({ fix }) => fix.edits.every((a) => one.fix.edits.every((b) => !conflict(a, b)))),
    );
    if (free) free.push(one);
    else rounds.push([one]);
  }
  return rounds;
}

/** The predicted times of the kernels whose time an edit of one file changes. */
function predictedOf(trials: Trials, text: string, uri: string, { edits }: Fix): Times | undefined {
  const before = trials.read(text);
  const changed = edits.every(({ at }) => at.uri === uri) ? applyEdits(text, edits, uri) : undefined;
  const after = changed === undefined ? undefined : trials.read(changed);
  if (!before || !after) return undefined;
  const gains = [...predictedGains(before.model, after.model, before.gpu, usual)];
  return Object.fromEntries(
    gains
      .filter(([, { before: now, after: then }]) => now.microseconds !== then.microseconds)
      .map(([name, { before: now, after: then }]) => [name, [now.microseconds, then.microseconds]]),
  );
}

/** Writes the files that a round changes below `out`, each at its place below `root`. */
function writeRound(root: string, out: string, round: readonly Offered[]): void {
  const edits = round.flatMap(({ fix }) => fix.edits);
  for (const uri of new Set(edits.map(({ at }) => at.uri))) {
    const path = fileURLToPath(uri);
    const text = applyEdits(readFileSync(path, 'utf8'), edits, uri);
    if (text === undefined) throw new Error(`fixes of ${path} clash though none touches another`);
    const target = join(out, relative(root, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      out: { type: 'string' },
      name: { type: 'string' },
      rule: { type: 'string' },
      literals: { type: 'boolean', default: false },
      each: { type: 'boolean', default: false },
      gpu: { type: 'string' },
    },
  });
  if (values.root === undefined || values.out === undefined)
    throw new Error(
      'usage: npx tsx lab/bench/applyFixes.ts --root FOLDER --out FOLDER ' +
        '[--name REGEX] [--rule REGEX] [--literals] [--each] [--gpu NAME]',
    );
  const root = resolve(values.root);
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const names = new RegExp(values.name ?? '');
  const rules = new RegExp(values.rule ?? '');
  const manifest = join(out, 'fixes.jsonl');
  writeFileSync(manifest, '');
  let rounds = 0;
  let versions = 1;
  const flags = readAnalysisFlags(values.gpu === undefined ? {} : { gpu: values.gpu });
  const workspace = await openWorkspace(flags, (sentence) => console.error(sentence));
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isDirectory() || !names.test(entry.name)) continue;
    const offered: Offered[] = [];
    const known = new Set<string>();
    for await (const { source, analysed } of analysedIn(workspace, join(root, entry.name), undefined)) {
      const table = lineTable(source.text);
      const { findings } = lint(analysed.model, source.text, { gpu: analysed.gpu });
      const uri = uriOf(source.path);
      const trials = createTrials(uri, (text) => {
        const read = workspace.analyse(uri, { text, version: ++versions });
        return (
          read && {
            text,
            model: read.model,
            gpu: read.gpu,
            findings: lint(read.model, text, { gpu: read.gpu }).findings,
          }
        );
      });
      for (const finding of findings) {
        if ((finding.rule === literals) !== values.literals || !rules.test(finding.rule)) continue;
        for (const fix of finding.fixes) {
          if (fix.edits.length === 0 || finding.rule.startsWith('warplens/')) continue;
          const line = table.positionAt(finding.at.start).line + 1;
          // One fix that several findings offer is made once.
          const edits = JSON.stringify(fix.edits);
          if (known.has(edits)) continue;
          known.add(edits);
          const trial = values.each ? trials.of(source.text, finding, fix) : { fix };
          if ('refused' in trial) {
            console.error(`${entry.name}:${line}: ${fix.title}: ${trial.refused}`);
            continue;
          }
          const { fix: made, gain } = trial as { fix: Fix; gain?: Interval };
          offered.push({
            rule: finding.rule,
            path: relative(root, source.path),
            line,
            fix: made,
            ...(finding.within !== undefined && { kernel: finding.within }),
            ...(gain && { gain }),
            predicted: values.each ? predictedOf(trials, source.text, uri, made) : undefined,
          });
        }
      }
    }
    for (const [number, round] of (values.each ? offered.map((one) => [one]) : inRounds(offered)).entries()) {
      writeRound(root, join(out, String(number)), round);
      const fixes = round.map(({ rule, path, line, fix, kernel, gain, predicted }) => ({
        rule,
        path,
        line,
        title: fix.title,
        safe: fix.applicability === 'safe',
        kernel,
        gain,
        predicted,
      }));
      appendFileSync(manifest, `${JSON.stringify({ program: entry.name, round: number, fixes })}\n`);
      rounds++;
    }
  }
  console.log(`${rounds} rounds, in ${out}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
