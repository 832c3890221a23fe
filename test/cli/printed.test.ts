// What commands print, by the examples of printed.json, and that the conditions in docs/ci.md work.
import { match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { runCli } from '../support/bundles';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';

const { files, examples } = JSON.parse(readFileSync(join(__dirname, 'printed.json'), 'utf8')) as {
  readonly files: Readonly<Record<string, string>>;
  /** `FOLDER` stands for the folder of the files. */
  readonly examples: readonly { args: string[]; code: number; out?: string; err?: string; schema?: string }[];
};

/** `report` writes to the process's own output. */
async function runShipped(words: readonly string[]): Promise<Awaited<ReturnType<typeof runCommand>>> {
  const { code, output, errors } = await runCli(words, { cwd: process.cwd(), env: process.env });
  return { code: code!, out: output, err: errors };
}

/** A schema's part, without keys that it does not name. */
const closed = (_key: string, part: unknown): unknown =>
  Object.hasOwn(Object(part) as object, 'properties') ? { additionalProperties: false, ...(part as object) } : part;

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

  for (const { args, code, out, err, schema } of examples)
    it(`for ${args.join(' ')}`, async () => {
      const words = args.map((word) => word.replace('FOLDER', folder));
      const said = await (/^(report|profile)$/.test(args[0]!) ? runShipped(words) : runCommand(...words));
      strictEqual(said.code, code, said.out + said.err);
      if (out !== undefined) match(said.out, new RegExp(out));
      if (err !== undefined) match(said.err, new RegExp(err));
      if (schema !== undefined) {
        const text = readFileSync(join(__dirname, `../../schemas/${schema}.schema.json`), 'utf8');
        // Keys may be added for readers, but not without being described.
        const isValid = new Ajv({ strict: false }).compile(JSON.parse(text, closed) as object);
        ok(isValid(JSON.parse(said.out)), JSON.stringify(isValid.errors));
      }
      ok(!/\n\s+at /.test(said.err), 'no trace');
    });

  const page = readFileSync(join(__dirname, '../../docs/ci.md'), 'utf8');
  const [, table] = /^## The gate$([\s\S]*?)^## /m.exec(page)!;
  const conditions = [...table!.matchAll(/`(\S+ [<=>]= [^`]*)`/g)].map(([, text]) => text!);
  ok(conditions.length > 10);
  // Machine code takes a compiler: the tests of resources have those.
  for (const condition of conditions.filter(
    (text) => /[<=>]/.test(text) && !/^(registers|spills|stack|shared)/.test(text),
  ))
    it(`for diff --gate "${condition}" of docs/ci.md`, async () => {
      const { code, err } = await runCommand('diff', join(folder, 'old'), join(folder, 'new'), '--gate', condition);
      ok(code < 2, err);
    });
});
