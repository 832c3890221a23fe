// Offsets lead back to the text: names and numbers that are marked as written stand where their spans say.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionDecl, SourceFile } from '../../server/src/syntax';
import { parseText } from './support';

/** Calls `visit` for every node below `value`, with the offset that its spans are relative to. */
function walk(value: unknown, base: number, visit: (node: Record<string, unknown>, base: number) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, base, visit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = value as Record<string, unknown>;
  // The methods of a function's local classes have bases relative to the function.
  const inside = 'base' in node && 'key' in node ? base + (node as unknown as FunctionDecl).base : base;
  visit(node, inside);
  for (const name in node) if (name !== 'text') walk(node[name], inside, visit);
}

/** Names and numbers whose spans do not give their own text. */
function misplaced(file: SourceFile): string[] {
  const wrong: string[] = [];
  const check = (node: Record<string, unknown>, base: number): void => {
    const slice = (start: number, end: number): string => file.text.slice(base + start, base + end);
    const start = node.start as number;
    const end = node.end as number;
    if (typeof start === 'number' && (end < start || base + start < 0 || base + end > file.text.length))
      wrong.push(`${String(node.kind)} ${base + start}..${base + end}`);
    if (node.macro) return;
    if (node.kind === 'number' && slice(start, end) !== node.text)
      wrong.push(`number ${String(node.text)} at "${slice(start, end)}"`);
    if (
      node.kind === 'name' &&
      node.name !== 'this' &&
      !node.templateArgs &&
      slice(start, end).replace(/\s/g, '') !== String(node.name).replace(/\s/g, '') &&
      !/^::/.test(slice(start, end)) &&
      node.name !== 'T_' &&
      !slice(start, end).includes('<')
    ) {
      wrong.push(`name ${String(node.name)} at "${slice(start, end)}"`);
    }
    if (
      node.kind === 'member' &&
      !node.macro &&
      start < end &&
      file.text.substr(base + (node.fieldStart as number), String(node.field).length) !== node.field &&
      !/^[~]|operator|::/.test(String(node.field))
    )
      wrong.push(`field ${String(node.field)}`);
    if (node.kind === 'binary' || node.kind === 'assign') {
      const op = node.op as string;
      const written = file.text.slice(base + (node.opStart as number));
      if (!written.startsWith(op) && !/^(?:and|or|not|bitand|bitor|xor|compl|[({])/.test(written))
        wrong.push(`operator ${op} at "${written.slice(0, 5)}"`);
    }
  };
  for (const declared of file.functions) walk(declared, 0, check);
  for (const struct of file.structs) walk({ ...struct, methods: [] }, 0, check);
  walk(file.globals, 0, check);
  walk(file.enums, 0, check);
  return wrong;
}

describe('spans', () => {
  const folder = join(__dirname, 'fixtures');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.cases'))) {
    it(`${name}: names, numbers and operators stand where they are said to`, async () => {
      for (const part of readFileSync(join(folder, name), 'utf8').split(/^=====\n/m)) {
        const code = part.split(/^-----\n/m)[0]!;
        assert.deepEqual(misplaced(await parseText(code)), [], code);
      }
    });
  }

  it('a macro argument keeps its place, a macro body has that of the invocation', async () => {
    const text = '#define SQ(x) ((x) * (x))\n#define N 8\nvoid f() { y = SQ(a[i]) + N; }\n';
    const file = await parseText(text);
    const [statement] = file.functions[0]!.body!.body;
    assert.ok(statement!.kind === 'expr' && statement.expr.kind === 'assign' && statement.expr.value.kind === 'binary');
    const { base } = file.functions[0]!;
    const written = (node: { start: number; end: number }): string => text.slice(base + node.start, base + node.end);
    const sum = statement.expr.value;
    assert.equal(written(sum), 'SQ(a[i]) + N');
    assert.equal(sum.macro, undefined);
    assert.ok(sum.left.kind === 'binary');
    assert.equal(written(sum.left), 'SQ(a[i])');
    assert.equal(sum.left.macro, true);
    assert.equal(written(sum.left.left), 'a[i]');
    assert.equal(sum.left.left.macro, undefined);
    assert.equal(written(sum.right), 'N');
    assert.equal(sum.right.macro, true);
  });

  it('Windows line ends, a byte order mark and characters outside the basic plane change nothing but offsets', async () => {
    const text =
      '\ufeff// größer 漢字 😀\r\n#define A \\\r\n  3\r\nvoid f() {\r\n  x = "😀" + A; /* é */ y = 2;\r\n}\r\n';
    const file = await parseText(text);
    assert.deepEqual(misplaced(file), []);
    assert.equal(file.errors.length, 0);
    assert.equal(file.macros[0]!.body, '3');
    const comment = file.functions[0]!.comments[0]!;
    assert.equal(text.slice(file.functions[0]!.base + comment.start, file.functions[0]!.base + comment.end), '/* é */');
    assert.equal(text.slice(file.comments[0]!.start, file.comments[0]!.end), '// größer 漢字 😀');
  });

  it('pragmas and comments are listed, inside functions and outside', async () => {
    const text = '#pragma once\n// a\nvoid f() {\n  // b\n#pragma unroll\n  for (;;) ; // c\n}\n// d\n';
    const file = await parseText(text);
    assert.deepEqual(
      file.pragmas.map((each) => each.text),
      ['once', 'unroll'],
    );
    assert.deepEqual(
      file.comments.map((each) => text.slice(each.start, each.end)),
      ['// a', '// d'],
    );
    const { base, comments, body } = file.functions[0]!;
    assert.deepEqual(
      comments.map((each) => text.slice(base + each.start, base + each.end)),
      ['// b', '// c'],
    );
    const [loop] = body!.body;
    assert.ok(loop?.kind === 'for');
    assert.equal(loop.pragmas?.length, 1);
    assert.equal(text.slice(base + loop.pragmas![0]!.start, base + loop.pragmas![0]!.end), '#pragma unroll');
    assert.equal(text.slice(base, base + loop.headerEnd).endsWith('for (;;)'), true);
  });
});
