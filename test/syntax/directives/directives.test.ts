// Directives in, what was read of them out: every case beside this (`UPDATE_FIXTURES=1` writes the results).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fortranDirectivePlaces } from '../../../server/src/syntax/directives/lines';
import type { Directive } from '../../../server/src/syntax/procedures';
import { NO_INCLUDES, SETTINGS, sharedSyntax } from '../support';
import { dumpDirective } from './dump';

const UPDATE = process.env.UPDATE_FIXTURES === '1';

/** The directives of a text: C by its preprocessor, Fortran by its sentinels. */
async function directivesOf(text: string, kind: string): Promise<readonly Directive[]> {
  const syntax = await sharedSyntax();
  if (kind.startsWith('fortran')) {
    const fixedForm = kind.startsWith('fortran-fixed');
    return fortranDirectivePlaces(text, fixedForm).map((place) =>
      syntax.readDirective(text, place, { language: 'fortran', ...(fixedForm && { fixedForm }) }),
    );
  }
  syntax.forget('file:///test.c');
  return syntax.parse('file:///test.c', text, 1, SETTINGS, NO_INCLUDES).main.directives;
}

const dumpAll = async (text: string, kind: string): Promise<string> =>
  (await directivesOf(text, kind)).map((each) => dumpDirective(each, text)).join('\n');

describe('directives', () => {
  for (const name of readdirSync(__dirname).filter((each) => each.endsWith('.cases'))) {
    const path = join(__dirname, name);
    const kind = name.replace(/\.cases$/, '');
    const cases = readFileSync(path, 'utf8')
      .split(/^=====\n/m)
      .filter((each) => each.trim() !== '')
      .map((each) => {
        const [code, expected = ''] = each.split(/^-----\n/m);
        return { code: code!, expected };
      });
    const updated: string[] = [];
    cases.forEach(({ code, expected }, index) => {
      const title = /^(?:\/\/|!|C) (.*)/.exec(code)?.[1] ?? `case ${index + 1}`;
      it(`${kind}: ${title}`, async () => {
        const dumped = await dumpAll(code, kind);
        updated.push(`${code}-----\n${dumped}\n`);
        if (!UPDATE) assert.equal(dumped.trim(), expected.trim());
        assert.equal((await dumpAll(code.replace(/\n/g, '\r\n'), kind)).replace(/\r/g, ''), dumped, 'other line ends');
        if (kind.endsWith('clean')) assert.doesNotMatch(dumped, /^ {2}! /m);
      });
    });
    if (!UPDATE && kind !== 'fortran-fixed') {
      it(`${kind}: the same when it is read again further down`, async () => {
        for (const { code } of cases) {
          const first = await dumpAll(code, kind);
          const title = code.slice(0, code.indexOf('\n') + 1);
          assert.equal(await dumpAll(`${title}\n${title}${code}`, kind), first);
        }
      });
    }
    if (UPDATE) after(() => writeFileSync(path, updated.join('=====\n')));
  }
});
