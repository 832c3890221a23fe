// Writes the counted programs as a library shows them: with the bodies of all functions of the host blanked.
//
// npx tsx lab/severity/withoutHost.ts --corpora FOLDER --out FOLDER
//
// The lines stay where they are, so that `compare.ts --corpora OUT` holds what is said of kernels without their
// launches against the same counters. Functions that the device may call are left. Exit status: 2 for bad arguments.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { uriOf } from '../../cli/src/analysis';
import { folderOf, ownPrograms } from './programs';

const isSource = /\.(cu|cuh|c|cc|cpp|h|hpp|inl)$/;

function blanked(syntax: Syntax, path: string): string {
  const text = readFileSync(path, 'utf8');
  const settings = { defines: {}, computeCapability: 90 };
  const { main } = syntax.parse(uriOf(path), text, 1, settings, { resolve: () => undefined });
  return main.functions
    .flatMap(({ base, body, global, device, constexpr }) =>
      body && !global && !device && !constexpr ? [[base + body.start + 1, base + body.end - 1] as const] : [],
    )
    .filter(([from, to]) => text[from - 1] === '{' && text[to] === '}')
    .reduce((all, [from, to]) => all.slice(0, from) + all.slice(from, to).replace(/[^\n]/g, ' ') + all.slice(to), text);
}

function copy(syntax: Syntax, from: string, to: string): void {
  if (statSync(from).isDirectory())
    for (const name of readdirSync(from)) copy(syntax, join(from, name), join(to, name));
  else if (isSource.test(from)) {
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, blanked(syntax, from));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { corpora: { type: 'string' }, out: { type: 'string' } } });
  if (values.corpora === undefined || values.out === undefined) {
    console.error('usage: npx tsx lab/severity/withoutHost.ts --corpora FOLDER --out FOLDER');
    process.exitCode = 2;
    return;
  }
  const [corpora, out] = [resolve(values.corpora), resolve(values.out)];
  const syntax = await createSyntax(readGrammarFiles());
  const programs = ownPrograms(['open', 'kept']);
  const found = programs.filter(({ repo, path }) =>
    statSync(join(folderOf(corpora, repo), path), { throwIfNoEntry: false }),
  );
  for (const { repo, path } of found)
    copy(syntax, join(folderOf(corpora, repo), path), join(folderOf(out, repo), path));
  console.log(`${found.length} of ${programs.length} programs, in ${out}`);
}

void main();
