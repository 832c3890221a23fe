// Asks the server for agents what a kernel's author would ask, and holds the answers against `warplens model`.
//
//   npx tsx lab/bench/agents.ts --root FOLDER [--questions 20] [--seed N]     after node tools/build.mjs cli
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { numberText } from '../../cli/src/diff/words';
import { findSources } from '../../cli/src/source';
import { runCommand } from '../../test/support/commandLine';
import { randomOf } from '../../test/robustness/fuzz/random';
import { kernelsIn, pick } from './diffEdits';

const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    questions: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});

interface ModelJson {
  readonly accesses: readonly {
    readonly line: number;
    readonly space: string;
    readonly sectors?: number;
    readonly wavefronts?: number;
    readonly gather?: object;
  }[];
}

async function main(): Promise<void> {
  if (values.root === undefined) throw new Error('Name a folder with --root.');
  const root = values.root;
  const random = randomOf(Number(values.seed));
  const sources = findSources([root], () => {}).filter(
    ({ path, text }) => /\.cu$/.test(path) && kernelsIn(text).length > 0,
  );
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const bundle = join(__dirname, '..', '..', 'dist', 'cli.js');
  readFileSync(bundle);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bundle, 'mcp', root] }));
  let held = 0;
  let equal = 0;
  const lengths: number[] = [];
  const times: number[] = [];
  for (let asked = 0; asked < Number(values.questions); asked++) {
    const source = pick(sources, random)!;
    const kernel = pick(kernelsIn(source.text), random)!.name;
    const started = performance.now();
    const answer = (await client.callTool({
      name: 'model',
      arguments: { file: relative(root, source.path), kernel },
    })) as { content: { text: string }[] };
    times.push(performance.now() - started);
    const { text } = answer.content[0]!;
    lengths.push(text.length);
    const { accesses } = JSON.parse((await runCommand('model', source.path, '--format', 'json')).out) as ModelJson;
    for (const [, line, space, told] of text.matchAll(
      /^line (\d+): (\w+) .*?: ([\d.,]+) (?:sectors|wavefronts)(?: where|,)/gm,
    )) {
      held++;
      const known = accesses.filter((access) => String(access.line) === line && access.space === space);
      if (
        known.some(({ sectors, wavefronts }) => numberText((space === 'shared' ? wavefronts : sectors) ?? -1) === told)
      )
        equal++;
      else console.log(`differs: ${source.path}:${line} ${told}`);
    }
  }
  await client.close();
  const sorted = [...lengths].sort((a, b) => a - b);
  console.log(`${lengths.length} questions on kernels, ${held} figures, ${equal} equal to those of model`);
  console.log(`characters: median ${sorted[sorted.length >> 1]}, most ${sorted.at(-1)}`);
  console.log(`milliseconds: median ${Math.round([...times].sort((a, b) => a - b)[times.length >> 1]!)}`);
}

void main();
