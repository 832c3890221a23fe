// The form of one OpenACC directive, for tree-sitter: sentinel, words, arguments. Which words exist and where they may stand is no matter of
// form; a table in server/src/syntax/directives says that, so that a misspelt word still has its place in the tree.
//
// C and Fortran have rules of their own under the same names of nodes, and the sentinel chooses: `!` is an operator here and a comment there,
// `%` a remainder here and a member there. `tools/build-grammar.mjs` makes tree-sitter-openacc.wasm of this file.

const ANY_CASE = (word) => alias(new RegExp([...word].map((c) => (/[a-z]/.test(c) ? `[${c}${c.toUpperCase()}]` : `\\${c}`)).join('')), word);
const listOf = (rule) => seq('(', optional(rule), repeat(seq(',', optional(rule))), ')');

const SPLICE = '\\\\[ \\t]*\\r?\\n';
const ACC = '[aA][cC][cC]';
/** Lines between continued ones: empty, comments, and `#if` of the preprocessor. */
const LINES_BETWEEN = '([ \\t]*(![^$\\r\\n][^\\r\\n]*|!)?\\r?\\n|[cC*][^$\\r\\n][^\\r\\n]*\\r?\\n|#[^\\r\\n]*\\r?\\n)*';

/** The rules of one language; `operators` are rows of operators, the loosest first. */
function rulesOf(letter, { operators, unary, power, atoms, postfix }) {
  const own = (name) => ($) => $[`${letter}_${name}`];
  const expression = ($) => $[`_${letter}_expression`];
  const UNARY = operators.length + 1;
  const POWER = UNARY + 1;
  const POSTFIX = POWER + 1;
  const rule = (name) => `${letter}_${name}`;
  const as = ($, name) => alias(own(name)($), $[name]);
  return {
    [rule('clause')]: ($) => seq(field('name', $.word), optional(field('arguments', as($, 'arguments')))),
    [rule('arguments')]: ($) => listOf(as($, 'argument')),
    // `static:*`, `+:sum`, `devnum:0:queues:1`: what the colons divide is told apart by who reads the tree.
    [rule('argument')]: ($) => seq(as($, 'part'), repeat(seq(':', as($, 'part')))),
    [rule('part')]: ($) => choice(expression($), as($, 'operator')),
    [rule('operator')]: () => choice(...(letter === 'c' ? ['+', '-', '*', '&', '|', '^', '&&', '||'] : ['+', '-', '*', ...['.and.', '.or.', '.eqv.', '.neqv.'].map(ANY_CASE)])),
    [`_${letter}_expression`]: ($) => choice(
      $.word, $.number, $.string, as($, 'parenthesised'), as($, 'unary'), as($, 'binary'), as($, 'member'), as($, 'call'), ...atoms($, as, expression),
    ),
    [rule('parenthesised')]: ($) => seq('(', expression($), ')'),
    [rule('unary')]: ($) => choice(...unary.map(([operator, level]) => prec.right(level ?? UNARY, seq(field('operator', operator), field('operand', expression($)))))),
    [rule('binary')]: ($) => choice(
      ...operators.flatMap((row, level) => row.map((operator) => prec.left(level + 1, seq(field('left', expression($)), field('operator', operator), field('right', expression($)))))),
      ...power.map((operator) => prec.right(POWER, seq(field('left', expression($)), field('operator', operator), field('right', expression($))))),
    ),
    ...postfix(rule, as, expression, POSTFIX, UNARY),
  };
}

module.exports = grammar({
  name: 'openacc',
  word: ($) => $.word,
  extras: ($) => [/[ \t\f\v\u00a0\ufeff]/, $._continuation, $.comment],
  rules: {
    directive: ($) => choice(
      seq(alias($.c_sentinel, $.sentinel), repeat(choice(alias($.c_clause, $.clause), ','))),
      seq(alias($.f_sentinel, $.sentinel), repeat(choice(alias($.f_clause, $.clause), ',', alias($.f_comment, $.comment)))),
    ),
    c_sentinel: () => token(new RegExp(`#([ \\t]|${SPLICE})*pragma([ \\t]|${SPLICE})+acc`)),
    // In fixed form column 6 may hold a zero.
    f_sentinel: () => token(new RegExp(`[!cC*]\\$${ACC}0?`)),
    // Comments behind a continued line hold no `!` and no `&` here: what each of many operators might begin must not be looked for to the end of the line.
    _continuation: () => token(choice(
      new RegExp(SPLICE),
      // Free form: `&`, and on the next line the sentinel, with or without `&`.
      new RegExp(`&[ \\t]*(![^\\r\\n!&]*)?\\r?\\n${LINES_BETWEEN}[ \\t]*[!cC*]\\$${ACC}[ \\t]*&?`),
      // Fixed form: a mark in column 6 of the next line.
      new RegExp(`(!([^$\\r\\n!][^\\r\\n!]*)?)?\\r?\\n${LINES_BETWEEN}[!cC*]\\$${ACC}[^ \\t\\r\\n0]`),
    )),
    comment: () => token(choice(/\/\/[^\r\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
    f_comment: () => token(/![^\r\n]*/),

    ...rulesOf('c', {
      operators: [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', '%']],
      unary: [['-'], ['+'], ['!'], ['~'], ['*'], ['&']],
      power: [],
      atoms: ($, as) => [as($, 'element'), as($, 'conditional'), as($, 'cast'), as($, 'qualified')],
      postfix: (rule, as, expression, POSTFIX, UNARY) => ({
        [rule('conditional')]: ($) => prec.right(0, seq(field('cond', expression($)), '?', field('then', expression($)), ':', field('else', expression($)))),
        [rule('element')]: ($) => prec(POSTFIX, seq(field('base', expression($)), '[', choice(as($, 'section'), expression($)), ']')),
        // A directive's section is `start:length`.
        [rule('section')]: ($) => seq(field('lower', optional(expression($))), ':', field('length', optional(expression($)))),
        [rule('member')]: ($) => prec(POSTFIX, seq(field('object', expression($)), choice('.', '->'), field('field', $.word))),
        [rule('call')]: ($) => prec(POSTFIX, seq(field('callee', choice(expression($), $.type)), '(', optional(seq(choice(expression($), $.type), repeat(seq(',', choice(expression($), $.type))))), ')')),
        [rule('cast')]: ($) => prec(UNARY, seq('(', $.type, repeat('*'), ')', field('operand', expression($)))),
        [rule('qualified')]: ($) => prec(POSTFIX + 1, seq($.word, repeat1(seq('::', $.word)))),
      }),
    }),
    type: () => prec.right(repeat1(choice('int', 'long', 'short', 'unsigned', 'signed', 'char', 'float', 'double', 'bool', 'size_t', 'const'))),

    ...rulesOf('f', {
      operators: [
        // `&&` and `||` stand for `.and.` and `.or.` where the reader of directives has put them: behind a number, whose dot the first one would be.
        ['.eqv.', '.neqv.'].map(ANY_CASE), [ANY_CASE('.or.'), '||'], [ANY_CASE('.and.'), '&&'], [],
        ['==', '/=', '<', '>', '<=', '>=', ...['.eq.', '.ne.', '.lt.', '.gt.', '.le.', '.ge.'].map(ANY_CASE)], ['+', '-'], ['*', '/'],
      ],
      unary: [['-', 6], ['+', 6], [ANY_CASE('.not.'), 4]],
      power: ['**'],
      atoms: ($, as) => [as($, 'logical'), as($, 'block')],
      postfix: (rule, as, expression, POSTFIX) => ({
        [rule('logical')]: () => choice(...['.true.', '.false.'].map(ANY_CASE)),
        // A common block: `/name/`.
        [rule('block')]: ($) => seq('/', $.word, '/'),
        [rule('element')]: ($) => prec(POSTFIX, seq(field('base', expression($)), '(', as($, 'section'), ')')),
        [rule('section')]: ($) => choice(
          seq(field('lower', optional(expression($))), ':', field('upper', optional(expression($))), optional(seq(':', field('step', expression($))))),
          seq(field('lower', optional(expression($))), '::', field('step', expression($))),
        ),
        [rule('member')]: ($) => prec(POSTFIX, seq(field('object', expression($)), '%', field('field', $.word))),
        // What stands in the parentheses decides between a call and an element, or who knows the declarations.
        [rule('call')]: ($) => prec(POSTFIX, seq(field('callee', expression($)), '(', optional(seq(as($, 'index'), repeat(seq(',', as($, 'index'))))), ')')),
        [rule('index')]: ($) => choice(expression($), as($, 'section'), seq(field('keyword', $.word), '=', expression($))),
      }),
    }),

    word: () => /[A-Za-z_][A-Za-z0-9_$]*/,
    number: () => token(choice(
      /0[xX][0-9a-fA-F]+[uUlLzZ]*/,
      /[0-9][0-9']*(_[A-Za-z0-9_]+|[uUlLzZ]+)?/,
      /([0-9]+\.[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?(_[A-Za-z0-9_]+|[fFlL])?/,
      /[0-9]+[eEdD][+-]?[0-9]+(_[A-Za-z0-9_]+|[fFlL])?/,
    )),
    string: () => token(choice(/"([^"\\\r\n]|\\.)*"/, /'([^'\\\r\n]|\\.)*'/)),
  },
});
