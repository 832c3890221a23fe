// Holds the first characters of the server's first answer, and a rule of thumb, against cures that were measured.
//
//   npx tsx lab/agents/cures.ts --corpora FOLDER [--verbose]     after node tools/build.mjs cli
//
// FOLDER has a checkout of each repository of cures.jsonl as OWNER+NAME, at its commit. A kernel counts where the
// worst line (within two lines) is named with its cause. The rule names as many lines as the answer has findings.
import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { findSources } from '../../cli/src/source';
import { thumbGuesses } from './thumb';

interface Cure {
  readonly repo: string;
  /** What the server is asked: a program's file or folder. */
  readonly ask: string;
  readonly file: string;
  readonly line: number;
  readonly kernel: string;
  readonly causes: readonly string[];
  /** Time of the kernel before the cure over the time after. */
  readonly gain: number;
  /** What chose the line: the counters, or a finding that was cured as its text asks. */
  readonly by: 'counters' | 'findings';
}
interface Named {
  readonly file: string;
  readonly line: number;
  readonly causes: readonly string[];
  readonly gain: number;
}

const firstCharacters = 2000;
const leastGain = 1.1;
const around = 2;
const { values } = parseArgs({
  options: { corpora: { type: 'string' }, verbose: { type: 'boolean', default: false } },
});

const isAt = ({ file, line, causes }: Named, cure: Cure): boolean =>
  basename(file) === basename(cure.file) &&
  Math.abs(line - cure.line) <= around &&
  causes.some((cause) => cure.causes.includes(cause));

async function firstAnswer(root: string, ask: string): Promise<string> {
  const bundle = join(__dirname, '..', '..', 'dist', 'cli.js');
  const client = new Client({ name: 'cures', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bundle, 'mcp', root] }));
  try {
    for (;;) {
      const answer = await client.callTool({ name: 'check', arguments: { paths: [ask] } });
      const [{ text }] = answer.content as unknown as [{ text: string }];
      if (!text.startsWith('PARTIAL:')) return text.slice(0, firstCharacters);
    }
  } finally {
    await client.close();
  }
}

/** The findings whose text begins within the first characters; the gain is at least 1, where one is expected more. */
function findingsIn(answer: string): readonly Named[] {
  return [...answer.matchAll(/^(\S+):(\d+) (?:error|warning|information|hint) \w+\/([\w-]+): (.*)$/gm)].map(
    ([, file, line, rule, text]) => ({
      ...{ file: file!, line: Number(line), causes: [rule!] },
      gain: Number(/expected ([\d.]+)×/.exec(text!)?.[1] ?? /([\d.]+)× faster/.exec(text!)?.[1] ?? 1),
    }),
  );
}

async function main(): Promise<void> {
  if (values.corpora === undefined) throw new Error('Name a folder with --corpora.');
  const cures = readFileSync(join(__dirname, 'cures.jsonl'), 'utf8').trim().split('\n');
  const rows = new Map<string, number>();
  const add = (by: string, what: string, holds = true): void => {
    const key = `${by}: ${what}`;
    rows.set(key, (rows.get(key) ?? 0) + Number(holds));
  };
  for (const cure of cures.map((line) => JSON.parse(line) as Cure)) {
    const root = realpathSync(join(values.corpora, cure.repo.replace('/', '+')));
    const answer = await firstAnswer(root, cure.ask);
    const found = findingsIn(answer);
    const guesses = findSources([join(root, cure.ask)], () => {})
      .flatMap(({ path, text }) => thumbGuesses(text).map((guess) => ({ file: path, gain: 1, ...guess })))
      .map(({ rules, ...guess }): Named & { readonly score: number } => ({ ...guess, causes: rules }))
      .sort((a, b) => b.score - a.score)
      .slice(0, Math.max(1, found.length));
    const group = `by ${cure.by}, ${cure.gain >= leastGain ? 'gains' : 'does not gain'}`;
    add(group, 'kernels');
    const [inAnswer, byThumb] = [found.find((each) => isAt(each, cure)), guesses.some((each) => isAt(each, cure))];
    add(group, 'server names it', inAnswer !== undefined);
    add(group, 'server names it first', found[0] !== undefined && isAt(found[0], cure));
    add(group, 'server names it and expects 1.1 or more', (inAnswer?.gain ?? 1) >= leastGain);
    add(group, 'rule of thumb names it', byThumb);
    add(group, 'rule of thumb names it first', guesses[0] !== undefined && isAt(guesses[0], cure));
    if (values.verbose)
      console.log(
        `${cure.gain}× ${cure.kernel} ${cure.file}:${cure.line}, rule ${byThumb}, server ${inAnswer?.gain}\n${answer}\n`,
      );
  }
  for (const [what, number] of rows) console.log(`${what}: ${number}`);
}

void main();
