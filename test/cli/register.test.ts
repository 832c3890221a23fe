// `warplens mcp --register`: what it writes into a client's configuration, and that its undoing leaves the rest as it was.
import { match, strictEqual } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import clients from '../../cli/src/mcp/clients.json';
import { cacheOfTests, runCommand, writeFiles } from '../support/commandLine';
import examples from './registered.json';

describe('warplens mcp --register', function () {
  this.timeout(30_000);
  let folder = '';
  cacheOfTests((path) => {
    folder = path;
  });
  const mcp = (...words: readonly string[]) => runCommand('mcp', folder, ...words);

  for (const [client, { file, servers, entry }] of Object.entries(clients))
    it(`enters the server for ${client}, once, and takes it out`, async () => {
      const text = (): string => readFileSync(join(folder, file), 'utf8');
      strictEqual((await mcp('--register', client)).code, 0);
      strictEqual(text(), `${JSON.stringify({ [servers]: { warplens: entry } }, undefined, 2)}\n`);
      match((await mcp('--register', client)).out, /has warplens already/);
      strictEqual((await mcp('--unregister', client)).code, 0);
      strictEqual(JSON.stringify(JSON.parse(text())), '{}');
      match((await mcp('--unregister', client)).out, /has no entry/);
    });

  for (const { title, before, after, error } of examples)
    it(title, async () => {
      writeFiles(folder, { '.mcp.json': before });
      const text = (): string => readFileSync(join(folder, '.mcp.json'), 'utf8');
      const said = await mcp('--register', 'claude');
      strictEqual(text(), after ?? before);
      strictEqual(said.code, error === undefined ? 0 : 2, said.err);
      if (error !== undefined) return match(said.err, new RegExp(error));
      strictEqual((await mcp('--unregister', 'claude')).code, 0);
      strictEqual(text(), before);
    });

  it('refuses an unknown client, and writes nothing', async () => {
    const { code, err } = await mcp('--register', '__proto__');
    strictEqual(code, 2);
    match(err, /Unknown client "__proto__". Use claude, cursor, vscode/);
    strictEqual(existsSync(join(folder, '__proto__')), false);
  });
});
