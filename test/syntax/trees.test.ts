// Text in, plain tree out: every case of every file in fixtures/ (`UPDATE_FIXTURES=1` writes them).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpFile } from './dump';
import { parseText } from './support';

const FOLDER = join(__dirname, 'fixtures');
const UPDATE = process.env.UPDATE_FIXTURES === '1';

describe('syntax trees', () => {
  for (const name of readdirSync(FOLDER).filter((each) => each.endsWith('.cases'))) {
    const path = join(FOLDER, name);
    const cases = readFileSync(path, 'utf8')
      .split(/^=====\n/m)
      .filter((each) => each.trim() !== '')
      .map((each) => {
        const [code, tree = ''] = each.split(/^-----\n/m);
        return { code, tree };
      });
    const updated: string[] = [];
    cases.forEach(({ code, tree }, index) => {
      const title = /^\/\/ (.*)/.exec(code!)?.[1] ?? `case ${index + 1}`;
      it(`${name.replace(/\.cases$/, '')}: ${title}`, async () => {
        const dumped = dumpFile(await parseText(code!));
        updated.push(`${code}-----\n${dumped}\n`);
        if (!UPDATE) assert.equal(dumped.trim(), tree.trim());
      });
    });
    if (UPDATE) after(() => writeFileSync(path, updated.join('=====\n')));
  }
});
