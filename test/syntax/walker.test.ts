// The walk through the parser's memory copies what the parser's own cursor says, place by place.
import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { Language, Parser } from 'web-tree-sitter';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { copyTree, type RawNode, vocabularyOf } from '../../server/src/syntax/tree';
import { throughCursor, walkerOf } from '../../server/src/syntax/walker';

describe('the walk through a parsed tree', function () {
  this.timeout(60_000);
  let parser: Parser;
  let language: Language;
  before(async () => {
    const files = readGrammarFiles();
    // Makes the binding known, as the product does.
    await createSyntax(files);
    language = await Language.load(files.cuda);
    parser = new Parser();
    parser.setLanguage(language);
  });
  after(() => parser.delete());

  const texts: Record<string, string> = {
    nothing: '',
    'a kernel': '__global__ void k(float *a, int n) {\n  int i = threadIdx.x; // lane\n  if (i < n) a[i] += 2.0f;\n}\n',
    'what is missing and what is wrong': 'void f( { int a = ; g(1, ) }\n struct { int x }\n)) ]] template <',
    'characters beyond one unit': 'const char *s = "𝔘ñ→"; /* 𝔘 */ int after = 1;\n',
    // The cursor's stack is moved as it grows.
    'much nesting': `int a = ${'('.repeat(4000)}1${')'.repeat(4000)};\n`,
    'many neighbours': Array.from({ length: 5000 }, (_, at) => `int v${at} = ${at} * (${at} + 1);`).join('\n'),
  };
  for (const [name, text] of Object.entries(texts))
    it(`copies ${name} as the cursor tells it`, () => {
      const tree = parser.parse(text)!;
      const { hasError } = tree.rootNode;
      const vocabulary = vocabularyOf(language);
      const walker = walkerOf(tree.rootNode);
      const copied = copyTree(walker, vocabulary, hasError);
      const told = copyTree(throughCursor(tree.rootNode.walk()), vocabulary, hasError);
      // Twice, since a walker that gave nothing back would leave the memory to the next one.
      const again = copyTree(walkerOf(tree.rootNode), vocabulary, hasError);
      // Compared as texts: what is nested thousands deep is too deep for the comparison of objects.
      const words = (node: RawNode): string[] => {
        const said: string[] = [];
        const left = [node];
        for (let at = left.pop(); at; at = left.pop()) {
          const { children, ...own } = at;
          said.push(`${JSON.stringify(own)} ${children.length}`);
          for (let child = children.length - 1; child >= 0; child--) left.push(children[child]!);
        }
        return said;
      };
      deepStrictEqual(words(copied.root), words(told.root));
      deepStrictEqual(words(again.root), words(told.root));
      strictEqual(copied.errors.length, told.errors.length);
      if (name.includes('missing')) notStrictEqual(copied.errors.length, 0);
      tree.delete();
    });
  it('asks the cursor for nothing on the way', () => {
    const tree = parser.parse('int a;')!;
    const cursor = tree.rootNode.walk();
    const steps = Object.getPrototypeOf(cursor) as { gotoFirstChild: () => boolean };
    cursor.delete();
    const { gotoFirstChild } = steps;
    let asked = 0;
    steps.gotoFirstChild = function (this: unknown) {
      asked++;
      return gotoFirstChild.call(this);
    };
    try {
      copyTree(walkerOf(tree.rootNode), vocabularyOf(language), false);
      strictEqual(asked, 0);
      copyTree(throughCursor(tree.rootNode.walk()), vocabularyOf(language), false);
      notStrictEqual(asked, 0);
    } finally {
      steps.gotoFirstChild = gotoFirstChild;
      tree.delete();
    }
  });
});
