// Replays findings that were read and judged: npx tsx lab/bench/verdicts.ts --verdicts FILE.jsonl --root FOLDER
//   [--include FOLDER…] [--no-guess] [--verbose] [--json]
//
// A verdict is one JSON object a line: { repo, path, line, rule, severity, text or message, verdict: right | noise |
// wrong, why }. The repository's sources lie in ROOT/NAME or ROOT/OWNER+NAME. Each named file is checked with the
// repository's include folders (`--include` ones relative to it, and those guessed unless `--no-guess`). A verdict
// meets a finding of its rule within three lines; each finding answers for one verdict. Exit status: 0 whatever came
// out, 2 for bad arguments.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { defaultSettings } from '../../protocol/src/settings';
import { lint } from '../../server/src/lint/lint';
import { isQuietPath } from '../../server/src/workspace/quietPaths';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { lineTable } from '../../server/src/syntax/lines';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace } from '../../server/src/workspace/workspace';

interface Verdict {
  readonly repo: string;
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly text?: string;
  readonly verdict: 'right' | 'noise' | 'wrong';
  readonly why: string;
}
/** What became of a verdict: its finding now, or that there is none, or that its file is not there. */
interface Replayed {
  readonly verdict: Verdict;
  readonly found?: { readonly line: number; readonly severity: string; readonly text: string };
  readonly unread?: boolean;
}
interface Tally {
  right: number;
  rightFound: number;
  noise: number;
  noiseLoud: number;
  noiseQuiet: number;
  wrong: number;
  wrongLeft: number;
}

const nearLines = 3;
const loud = new Set(['warning', 'error']);
const deepestInclude = 3;
const usage =
  'usage: npx tsx lab/bench/verdicts.ts --verdicts FILE.jsonl --root FOLDER ' +
  '[--include FOLDER…] [--no-guess] [--verbose] [--json]';

function readVerdicts(path: string): Verdict[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (!text.trim()) return [];
      try {
        return [JSON.parse(text) as Verdict];
      } catch {
        throw new Error(`${path}:${index + 1} is not JSON: give one object a line.`);
      }
    });
}

/** The folder itself, and those beneath that are called `include` or `inc`, or hold the sources as `src`. */
function includeFolders(root: string): string[] {
  const found = [root];
  const visit = (folder: string, depth: number): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (/^(include|inc)$/.test(entry.name) || (entry.name === 'src' && depth === 0)) found.push(path);
      if (depth < deepestInclude) visit(path, depth + 1);
    }
  };
  visit(root, 0);
  return found;
}

async function replay(
  verdicts: readonly Verdict[],
  root: string,
  includes: readonly string[],
  guess: boolean,
): Promise<Replayed[]> {
  const syntax = await createSyntax(readGrammarFiles());
  const replayed = new Map<Verdict, Replayed>();
  for (const repository of new Set(verdicts.map(({ repo }) => repo))) {
    const whole = join(root, repository.replace('/', '+'));
    const folder = existsSync(whole) ? whole : join(root, repository.slice(repository.indexOf('/') + 1));
    const there = existsSync(folder) && statSync(folder).isDirectory();
    const includeDirs = [
      ...includes.map((each) => join(folder, each)),
      ...(guess && there ? includeFolders(folder) : []),
    ];
    const workspace = createWorkspace({ fileSystem: nodeFileSystem, syntax, root: folder, settings: { includeDirs } });
    const mine = verdicts.filter(({ repo }) => repo === repository);
    for (const path of new Set(mine.map((verdict) => verdict.path))) {
      const uri = pathToFileURL(join(folder, path)).href;
      await workspace.ready(uri);
      const analysed = existsSync(join(folder, path)) ? workspace.analyse(uri) : undefined;
      const here = mine.filter((verdict) => verdict.path === path);
      if (!analysed) {
        for (const verdict of here) replayed.set(verdict, { verdict, unread: true });
        continue;
      }
      const table = lineTable(analysed.text);
      const findings = lint(analysed.model, analysed.text, {
        gpu: analysed.gpu,
        quiet: isQuietPath(path, defaultSettings.quietPaths),
      }).findings.map((finding) => ({
        finding,
        line: table.positionAt(finding.at.start).line + 1,
      }));
      for (const [verdict, found] of matched(here, findings))
        replayed.set(verdict, {
          verdict,
          ...(found ? { found: { line: found.line, severity: found.finding.severity, text: found.finding.text } } : {}),
        });
      workspace.forget(uri);
    }
  }
  return verdicts.map((verdict) => replayed.get(verdict)!);
}

interface Placed {
  readonly finding: ResolvedFinding;
  readonly line: number;
}
/** Each verdict with the nearest finding of its rule that no nearer verdict has. */
function matched(verdicts: readonly Verdict[], findings: readonly Placed[]): Map<Verdict, Placed | undefined> {
  const pairs = verdicts.flatMap((verdict) =>
    findings
      .filter(({ finding, line }) => finding.rule === verdict.rule && Math.abs(line - verdict.line) <= nearLines)
      .map((found) => ({ verdict, found, distance: Math.abs(found.line - verdict.line) })),
  );
  const result = new Map<Verdict, Placed | undefined>(verdicts.map((verdict) => [verdict, undefined]));
  const taken = new Set<Placed>();
  for (const { verdict, found } of pairs.sort((a, b) => a.distance - b.distance)) {
    if (result.get(verdict) || taken.has(found)) continue;
    result.set(verdict, found);
    taken.add(found);
  }
  return result;
}

function tallies(replayed: readonly Replayed[]): Map<string, Tally> {
  const rules = new Map<string, Tally>();
  for (const { verdict, found, unread } of replayed) {
    if (unread) continue;
    for (const key of [verdict.rule, 'all rules']) {
      const tally = rules.get(key) ?? {
        right: 0,
        rightFound: 0,
        noise: 0,
        noiseLoud: 0,
        noiseQuiet: 0,
        wrong: 0,
        wrongLeft: 0,
      };
      rules.set(key, tally);
      tally[verdict.verdict]++;
      if (!found) continue;
      if (verdict.verdict === 'right') tally.rightFound++;
      else if (verdict.verdict === 'wrong') tally.wrongLeft++;
      else if (loud.has(found.severity)) tally.noiseLoud++;
      else tally.noiseQuiet++;
    }
  }
  return rules;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      verdicts: { type: 'string' },
      root: { type: 'string' },
      include: { type: 'string', multiple: true, default: [] },
      'no-guess': { type: 'boolean' },
      verbose: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  if (!values.verdicts || !values.root) throw new Error(usage);
  for (const path of [values.verdicts, values.root])
    if (!existsSync(path))
      throw new Error(`${path} is not there: name a file of verdicts and a folder of repositories.`);
  const replayed = await replay(readVerdicts(values.verdicts), values.root, values.include, !values['no-guess']);
  const rules = tallies(replayed);
  if (values.json) {
    console.log(JSON.stringify({ rules: Object.fromEntries(rules), replayed }));
    return;
  }
  if (values.verbose)
    for (const { verdict, found, unread } of replayed) {
      const now = unread ? 'not read' : found ? `${found.severity} at ${found.line}: ${found.text}` : 'no finding';
      console.log(`${verdict.verdict} ${verdict.rule} ${verdict.repo}/${verdict.path}:${verdict.line}`);
      console.log(
        `  then ${verdict.severity}: ${verdict.text ?? verdict.message}\n  now  ${now}\n  why  ${verdict.why}`,
      );
    }
  const unread = replayed.filter((each) => each.unread).length;
  if (unread) console.log(`${unread} verdicts in files that are not there`);
  for (const [rule, tally] of [...rules].sort(([a], [b]) => a.localeCompare(b)))
    console.log(
      `${rule}: right found ${tally.rightFound}/${tally.right}; ` +
        `noise at warning or error ${tally.noiseLoud}/${tally.noise} (quieter ${tally.noiseQuiet}); ` +
        `wrong still there ${tally.wrongLeft}/${tally.wrong}`,
    );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
