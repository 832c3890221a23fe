// Replaces one file's contents, for tests that end this process while it does: node replaceOnce FILE LETTER.
import { readFileSync } from 'node:fs';
import { replaceFile } from '../../cli/src/replaceFile';

const [file, letter] = process.argv.slice(2);
replaceFile(file!, readFileSync(file!), Buffer.from(`// new\n${letter!.repeat(30_000)}\n`));
