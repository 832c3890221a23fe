// What tests of the two forms of a library call share: a kernel's text with replacements, and what is said of it.
import assert from 'node:assert/strict';
import { fixIn, readIn } from '../../../fixes/variations';

type Replacement = readonly [from: string, to: string];
/** An example's name, what its answer is or holds, and what makes it of the text. */
export type Example = readonly [name: string, answer: string, ...Replacement[]];

/** The fixed text, or why no fix is offered, of the text with each replacement made, which has to have a place. */
export async function answerTo(text: string, replacements: readonly Replacement[], title: RegExp): Promise<string> {
  let of = text;
  for (const [from, to] of replacements) {
    assert.ok(of.includes(from), from);
    of = of.replaceAll(from, () => to);
  }
  const read = await readIn(of);
  const products = read.findings.filter(({ rule }) => rule === 'cuda/matrix-product');
  assert.equal(products.length, 1, of);
  const fixed = await fixIn({ ...read, findings: products }, of, title);
  return fixed?.after ?? /No fix is offered: (.*)\.$/.exec(products[0]!.text)?.[1] ?? 'no reason';
}

export function testRefusals(text: string, refused: readonly Example[], title: RegExp): void {
  for (const [name, why, ...replacements] of refused)
    it(`are refused: ${name}`, async () => assert.equal(await answerTo(text, replacements, title), why));
}

export function testWritten(text: string, written: readonly Example[], title: RegExp): void {
  for (const [name, lines, ...replacements] of written)
    it(`are written: ${name}`, async () => {
      const after = await answerTo(text, replacements, title);
      assert.ok(after.includes(lines), after);
      assert.equal(after.match(/cublas_v2\.h/g)?.length, 1);
    });
}
