// Prints the plain syntax tree of a file as JSON: npx tsx tools/ast.ts FILE [--function NAME].
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { createSyntax, type IncludeHost } from '../server/src/syntax';
import { readGrammarFiles } from '../server/src/syntax/grammarFiles';

/** Finds local includes beside the including file. */
const localIncludes: IncludeHost = {
  resolve(path, _system, fromUri) {
    const file = join(dirname(fileURLToPath(fromUri)), path);
    return existsSync(file)
      ? { uri: pathToFileURL(file).href, text: readFileSync(file, 'utf8'), version: 0 }
      : undefined;
  },
};

async function main(args: readonly string[]): Promise<void> {
  const file = args.find((each) => !each.startsWith('--'));
  if (!file || !existsSync(file)) {
    console.error(file ? `There is no file ${file}.` : 'usage: npx tsx tools/ast.ts FILE [--function NAME]');
    process.exitCode = 2;
    return;
  }
  const wanted = args.includes('--function') ? args[args.indexOf('--function') + 1] : undefined;
  const syntax = await createSyntax(readGrammarFiles());
  const unit = syntax.parse(
    pathToFileURL(resolve(file)).href,
    readFileSync(file, 'utf8'),
    0,
    { defines: {}, computeCapability: 90 },
    localIncludes,
  );
  const shown = wanted
    ? unit.files.flatMap((each) => each.functions).filter((each) => each.name === wanted)
    : unit.files.map(({ text, ...rest }) => rest);
  console.log(JSON.stringify(shown, undefined, 1));
}

void main(process.argv.slice(2));
