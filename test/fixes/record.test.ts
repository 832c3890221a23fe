// The record of executed fixes holds programs: tokens and directives, whatever their layout.
import assert from 'node:assert/strict';
import { applyEdits } from '../../server/src/workspace/edits';
import { lex } from '../../server/src/syntax/tokens';
import { memoryUri } from '../support/analyseText';
import { executedVariation } from './executed';
import { families } from './families';
import { fixedBy, type Fixed, hashOf } from './variations';

const program = `#define SIZE 4
#define TWICE(x) 2 * x
template <typename T> struct List { T all[SIZE]; };
// Doubles.
void run(List<List<int>> *all, int n) {
  for (int i = 0; i < n >> 1; i++) all[i].all[0].all[1] = TWICE(i); // each
  const char *said = "a  b // c";
}
`;
const fixed: Fixed = { title: 'Fix', after: program };
const hash = hashOf(program, fixed);

describe('the record of executed fixes', () => {
  const layouts: readonly [string, (text: string) => string][] = [
    ['blanks', (text) => text.replaceAll('  for', '\t\tfor').replaceAll('i < n', 'i<n')],
    ['blanks at the end of a directive', (text) => text.replace('SIZE 4', 'SIZE   4  ')],
    ['a comment', (text) => text.replace('// Doubles.', '/* Halves. */').replace(' // each', '')],
    ['line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['a line break', (text) => text.replace(') {', ')\n{').replace('; i++) ', ';\n       i++)\n    ')],
  ];
  for (const [what, change] of layouts)
    it(`holds with ${what} changed on either side`, () => {
      assert.notEqual(change(program), program);
      assert.equal(hashOf(change(program), fixed), hash);
      assert.equal(hashOf(program, { ...fixed, after: change(program) }), hash);
    });

  const changes: readonly [string, (text: string) => string][] = [
    ['a number', (text) => text.replace('SIZE 4', 'SIZE 5')],
    ['a name', (text) => text.replace('TWICE(i)', 'TWICE(n)')],
    ['an operator', (text) => text.replace('i < n', 'i > n')],
    ['the blanks of a string', (text) => text.replace('a  b', 'a b')],
    ['the parameter of a macro', (text) => text.replace('TWICE(x)', 'TWICE (x)')],
    ['the end of a directive', (text) => text.replace('4\n#define', '4 #define')],
    ['the line behind a directive', (text) => text.replace('2 * x\n', '2 * x ')],
    ['a parted operator', (text) => text.replace('n >> 1', 'n > > 1')],
  ];
  for (const [what, change] of changes)
    it(`fails with ${what} changed on either side`, () => {
      assert.notEqual(change(program), program);
      assert.notEqual(hashOf(change(program), fixed), hash);
      assert.notEqual(hashOf(program, { ...fixed, after: change(program) }), hash);
    });

  it('fails with another title', () => assert.notEqual(hashOf(program, { ...fixed, title: 'Another' }), hash));

  it('fails with any one token of a fix changed', async () => {
    const { text } = executedVariation(families[0]!, 0);
    const offered = (await fixedBy(text, families[0]!.titles))!;
    const uri = memoryUri('variation.cu');
    const hashes = lex(offered.after).tokens.map(({ start, end }) =>
      hashOf(text, { ...offered, after: applyEdits(offered.after, [{ at: { uri, start, end }, newText: '@' }], uri)! }),
    );
    assert.ok(hashes.length > 50);
    assert.equal(new Set([...hashes, hashOf(text, offered)]).size, hashes.length + 1);
  });
});
