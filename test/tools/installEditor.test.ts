// An editor's folder in the cache that lacks a part is seen as such, and its file search put in place again.
import { ok, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasPackages, provideRipgrep } from '../../tools/editor/installEditor';

describe('the cache of editors', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'warplens-cache-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text = '', mode = 0o644): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
    return join(folder, path);
  };

  it('packages: npm has come to its end, and all that it was to bring is there', () => {
    write('package.json', '{"dependencies": {"ws": "^8", "@vscode/ripgrep": "^1"}}');
    ok(!hasPackages(folder));
    write('node_modules/ws/package.json', '{}');
    write('node_modules/@vscode/ripgrep/package.json', '{}');
    ok(!hasPackages(folder), 'npm was ended before its last step');
    write('node_modules/.package-lock.json', '{}');
    ok(hasPackages(folder));
    rmSync(join(folder, 'node_modules', '@vscode'), { recursive: true });
    ok(!hasPackages(folder), 'a package was taken away');
  });

  const program = `lib/vscode/node_modules/@vscode/ripgrep/bin/${process.platform === 'win32' ? 'rg.exe' : 'rg'}`;
  const searches = (): number =>
    spawnSync(join(folder, program), ['--files', folder], { encoding: 'utf8' }).stdout?.split('\n').length ?? 0;
  const broken: Record<string, () => void> = {
    'is not there': () => {},
    'is a link to nowhere': () => symlinkSync('/nowhere/rg', join(folder, program)),
    'is cut short': () => void write(program, '', 0o755),
    'may not be run': () => void write(program, '#!/bin/sh\n', 0o644),
    'is for another machine': () => void write(program, '\x7fELF what', 0o755),
  };
  for (const [how, make] of Object.entries(broken))
    it(`a file search whose program ${how} is repaired`, async () => {
      write('lib/vscode/node_modules/@vscode/ripgrep/package.json', '{}');
      mkdirSync(dirname(join(folder, program)), { recursive: true });
      make();
      await provideRipgrep(folder);
      ok(searches() >= 2);
    });

  it('one that works is left alone, and an editor that brings its own gets none', async () => {
    const own = write(program, '#!/bin/sh\necho ripgrep 0 of the editor\n', 0o755);
    await provideRipgrep(folder);
    strictEqual(spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout, 'ripgrep 0 of the editor\n');
    rmSync(join(folder, 'lib'), { recursive: true });
    await provideRipgrep(folder);
    strictEqual(spawnSync(own, ['--version']).error !== undefined, true);
  });
});
