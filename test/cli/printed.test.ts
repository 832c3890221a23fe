// What commands print, by the examples of printed.json, and that the conditions in docs/ci.md work.
import { match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';

const { files, examples } = JSON.parse(readFileSync(join(__dirname, 'printed.json'), 'utf8')) as {
  readonly files: Readonly<Record<string, string>>;
  /** `FOLDER` stands for the folder of the files. */
  readonly examples: readonly { args: string[]; code: number; out?: string; err?: string }[];
};

describe('a command prints', function () {
  this.timeout(120_000);
  let folder = '';
  cacheOfTests((path) => {
    folder = path;
    writeFiles(folder, {
      ...files,
      'binary.cu': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
      'large.cu': ' '.repeat(9 * 1024 * 1024),
    });
    symlinkSync('loop.cu', join(folder, 'loop.cu'));
  });

  for (const { args, code, out, err } of examples)
    it(`for ${args.join(' ')}`, async () => {
      const said = await runCommand(...args.map((word) => word.replace('FOLDER', folder)));
      strictEqual(said.code, code, said.out + said.err);
      if (out !== undefined) match(said.out, new RegExp(out));
      if (err !== undefined) match(said.err, new RegExp(err));
      ok(!/\n\s+at /.test(said.err), 'no trace');
    });

  const page = readFileSync(join(__dirname, '../../docs/ci.md'), 'utf8');
  const [, table] = /^## The gate$([\s\S]*?)^## /m.exec(page)!;
  const conditions = [...table!.matchAll(/`(\S+ [<=]= [^`]*)`/g)].map(([, text]) => text!);
  ok(conditions.length > 10);
  // Machine code takes a compiler: the tests of resources have those.
  for (const condition of conditions.filter(
    (text) => /[<=]/.test(text) && !/^(registers|spills|stack|shared)/.test(text),
  ))
    it(`for diff --gate "${condition}" of docs/ci.md`, async () => {
      const { code, err } = await runCommand('diff', join(folder, 'old'), join(folder, 'new'), '--gate', condition);
      ok(code < 2, err);
    });
});
