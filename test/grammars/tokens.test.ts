// The TextMate grammars on real lines: which scopes the words of directives get inside C and Fortran.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOnigScanner, createOnigString, loadWASM } from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';
import { aliases, clauses, directives, endDirectives } from '../../server/src/syntax/directives/table';
import { manifest } from '../../tools/manifest';

const root = join(__dirname, '../..');
const { grammars, languages } = manifest.contributes;

/** Grammars of other extensions, as small as shows how ours stand inside them: pragmas and comments as VS Code's C grammar and Modern Fortran have them. */
const hosts: Readonly<Record<string, object>> = {
  'source.c': {
    scopeName: 'source.c',
    patterns: [
      {
        begin: '^\\s*((#)\\s*pragma\\b)',
        beginCaptures: { 1: { name: 'keyword.control.directive.pragma.c' } },
        end: '(?=(?://|/\\*))|(?<!\\\\)(?=\\n)',
        name: 'meta.preprocessor.pragma.c',
        patterns: [{ match: '[A-Za-z_]\\w*', name: 'entity.other.attribute-name.pragma.preprocessor.c' }],
      },
      { begin: '//', end: '(?=\\n)', name: 'comment.line.double-slash.c' },
      { begin: '/\\*', end: '\\*/', name: 'comment.block.c' },
      { match: '\\bfor\\b', name: 'keyword.control.c' },
    ],
  },
  'source.fortran.free': {
    scopeName: 'source.fortran.free',
    patterns: [
      { begin: '!', end: '(?=\\n)', name: 'comment.line.fortran' },
      { match: '(?i)\\bdo\\b', name: 'keyword.control.modern' },
    ],
  },
};

async function registryWith(...present: readonly string[]): Promise<Registry> {
  return new Registry({
    onigLib,
    loadGrammar: async (scope) => {
      const own = grammars.find((grammar) => grammar.scopeName === scope);
      if (own) return parseRawGrammar(readFileSync(join(root, own.path), 'utf8'), own.path);
      return present.includes(scope) ? parseRawGrammar(JSON.stringify(hosts[scope]), `${scope}.json`) : null;
    },
    getInjections: (scope) =>
      grammars.filter((grammar) => grammar.injectTo?.includes(scope)).map((grammar) => grammar.scopeName),
  });
}

const onigLib = loadWASM(readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer).then(() => ({
  createOnigScanner,
  createOnigString,
}));

/** `text scope` of every token inside a directive, the innermost scope without its last part; blanks are left out. */
function tokens(grammar: IGrammar, text: string): string[] {
  const found: string[] = [];
  let state = INITIAL;
  for (const line of text.split('\n')) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      if (word !== '')
        found.push(`${word} ${scopes.length > 1 ? scopes[scopes.length - 1]!.replace(/\.[^.]+$/, '') : '-'}`);
    }
  }
  return found;
}

describe('colours', () => {
  let c: IGrammar;
  let fortran: IGrammar;
  let alone: IGrammar;
  let fixed: IGrammar;
  before(async () => {
    c = (await (await registryWith('source.c')).loadGrammar('source.c'))!;
    fortran = (await (await registryWith('source.fortran.free')).loadGrammar('source.fortran.free'))!;
    alone = (await (await registryWith()).loadGrammar('source.fortran.warplens-free'))!;
    fixed = (await (await registryWith()).loadGrammar('source.fortran.warplens-fixed'))!;
  });

  it('a directive in C: sentinel, directive, clauses, operators, modifiers, numbers, names', () => {
    assert.deepEqual(
      tokens(
        c,
        '#pragma acc parallel loop gang reduction(+:sum) copyin(readonly: a[0:n]) vector_length(128) default(none)',
      ),
      [
        '# punctuation.definition.directive',
        'pragma keyword.control.directive.pragma',
        'acc keyword.control.directive',
        'parallel loop keyword.other.directive',
        'gang support.function.clause',
        'reduction support.function.clause',
        '( punctuation.section.parens.begin',
        '+ keyword.operator.reduction',
        ': punctuation.separator.colon',
        'sum variable.other',
        ') punctuation.section.parens.end',
        'copyin support.function.clause',
        '( punctuation.section.parens.begin',
        'readonly storage.modifier',
        ': punctuation.separator.colon',
        'a variable.other',
        '[ meta.directive',
        '0 constant.numeric',
        ': punctuation.separator',
        'n variable.other',
        '] meta.directive',
        ') punctuation.section.parens.end',
        'vector_length support.function.clause',
        '( punctuation.section.parens.begin',
        '128 constant.numeric',
        ') punctuation.section.parens.end',
        'default support.function.clause',
        '( punctuation.section.parens.begin',
        'none constant.language',
        ') punctuation.section.parens.end',
      ],
    );
  });

  it('names of variables are no clauses, a line joined by a backslash goes on, the next line is C again', () => {
    const found = tokens(c, '  #pragma acc data copy(data, \\\n    host[0:n]) \\\n  create(b) // done\nfor (data) ;');
    assert.deepEqual(
      found.filter((token) => /^(data|host|create|for|\/\/ done)/.test(token)),
      [
        'data keyword.other.directive',
        'data variable.other',
        'host variable.other',
        'create support.function.clause',
        '// done comment.line.double-slash',
        'for keyword.control',
      ],
    );
  });

  it('other pragmas and comments stay as they are', () => {
    assert.deepEqual(
      tokens(c, '#pragma omp parallel\n// #pragma acc loop\n/*\n#pragma acc loop\n*/').filter((token) =>
        /directive\.openacc|support|keyword\.other/.test(token),
      ),
      [],
    );
    assert.ok(
      !tokens(c, '/*\n#pragma acc loop\n*/').some(
        (token) => token.includes('openacc') || token.includes('keyword.other'),
      ),
    );
  });

  it('every directive and clause of the table has its colour, in both languages', () => {
    for (const name of directives.keys()) {
      assert.ok(tokens(c, `#pragma acc ${name}`).includes(`${name} keyword.other.directive`), name);
      assert.ok(tokens(fortran, `!$acc ${name}`).includes(`${name} keyword.other.directive`), name);
    }
    for (const name of endDirectives.keys())
      assert.ok(tokens(fortran, `!$acc ${name}`).includes(`${name} keyword.other.directive`), name);
    for (const name of [...clauses.keys(), ...aliases.keys()]) {
      assert.ok(tokens(c, `#pragma acc parallel ${name}`).includes(`${name} support.function.clause`), name);
      assert.ok(tokens(alone, `!$acc parallel ${name}`).includes(`${name} support.function.clause`), name);
    }
  });

  it("a directive in Fortran with continued lines, inside another extension's grammar", () => {
    const text =
      '  !$ACC PARALLEL LOOP &   ! outer\n  !$acc& private(data, &\n  !$acc& wait) if(.not. done)\n  do i = 1, n ! !$acc loop';
    const found = tokens(fortran, text);
    assert.deepEqual(found.slice(0, 9), [
      '!$ACC keyword.control.directive',
      'PARALLEL LOOP keyword.other.directive',
      '& constant.character.escape.line-continuation',
      '! outer comment.line',
      '!$acc keyword.control.directive',
      '& constant.character.escape.line-continuation',
      'private support.function.clause',
      '( punctuation.section.parens.begin',
      'data variable.other',
    ]);
    assert.ok(
      found.includes('wait variable.other') &&
        found.includes('if support.function.clause') &&
        found.includes('.not. keyword.operator'),
      found.join('\n'),
    );
    assert.deepEqual(found.slice(-4), [
      'do keyword.control',
      'i = 1, n -',
      '! comment.line',
      '!$acc loop comment.line',
    ]);
  });

  it('Fortran without another extension: keywords, types, strings, numbers, comments, directives', () => {
    const found = tokens(
      alone,
      'subroutine f(a) ! note\n  real(8), intent(in) :: a\n!$acc parallel loop\n  do i = 1, 10\n    print *, "it\'s"\n  end do\nend subroutine',
    );
    for (const wanted of [
      'subroutine keyword.control',
      'f entity.name.function',
      '! note comment.line',
      'real storage.type',
      'intent storage.modifier',
      'parallel loop keyword.other.directive',
      'do keyword.control',
      '10 constant.numeric',
      '"it\'s" string.quoted.double',
    ]) {
      assert.ok(found.includes(wanted), `${wanted}\n${found.join('\n')}`);
    }
  });

  it('fixed form: comments in column 1, sentinels, continued directives', () => {
    const found = tokens(fixed, 'c a comment\nc$acc parallel loop\n*$acc& gang\n      call f(x)\n  10  continue');
    for (const wanted of [
      'c a comment comment.line',
      'c$acc keyword.control.directive',
      'parallel loop keyword.other.directive',
      '*$acc keyword.control.directive',
      '& constant.character.escape.line-continuation',
      'gang support.function.clause',
      'f entity.name.function',
      '10 entity.name.tag.label',
    ]) {
      assert.ok(found.includes(wanted), `${wanted}\n${found.join('\n')}`);
    }
  });

  it('where another extension has a grammar of Fortran, that one colours the code', async () => {
    const both = (await (await registryWith('source.fortran.free')).loadGrammar('source.fortran.warplens-free'))!;
    assert.deepEqual(tokens(both, 'do i\n!$acc loop gang'), [
      'do keyword.control',
      'i -',
      '!$acc keyword.control.directive',
      'loop keyword.other.directive',
      'gang support.function.clause',
    ]);
  });

  it('each grammar that is named is there, and each language of Fortran has one', () => {
    for (const { path } of grammars)
      assert.doesNotThrow(() => JSON.parse(readFileSync(join(root, path), 'utf8')), path);
    for (const { id } of languages)
      assert.ok(
        grammars.some((grammar) => grammar.language === id),
        id,
      );
  });
});
