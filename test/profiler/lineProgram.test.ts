// The line program of every DWARF version, as GCC 13 writes it, gives the rows that llvm-dwarfdump prints; paths fold by spelling.
import assert from 'node:assert/strict';
import { foldPath, joinPath, readLineProgram } from '../../profiler/src/report/lineProgram';

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const none = new Uint8Array(0);

/** A function at 0x1000 with inlined code of a header: `gcc -O1 -gdwarf-N -shared`, the section .debug_line. */
const version3 =
  'dAAAAAMAJQAAAAEB+w4NAAEBAQEAAAABAAABAHguYwAAAABpbm5lci5oAAAAAAAFEQAJAgAQAAAAAAAAEwUDExMFCAEFFQEFBwarBQUGWgQCBQMPBAEFEwYVBQdKBRoGLQUVAQUBBncFBzgFAwZbBQoGAQICAAEB';
const version5 =
  'gAAAAAUACAAvAAAAAQEB+w4NAAEBAQEAAAABAAABAQEfAQAAAAACAR8CDwMFAAAAAAUAAAAACQAAAAAFEQAJAgAQAAAAAAAAEwUDExMFCAEFFQEFBwarBQUGWgQCBQMPBAEFEwYVBQdKBRoGLQUVAQUBBncFBzgFAwZbBQoGAQICAAEB';
const lineStrings5 = 'L3NyYwB4LmMAaW5uZXIuaAA=';

/** Offset and line of each row; `h` behind a line of the header, `end` for the end of the code. */
const printed = '0:2 0:3 0:4 0:4 0:4 11:3 16:5 16:2h 16:5 20:5 22:4 22:4 29:7 32:3 37:6 37:6 39:end';

function rowsOf(section: Uint8Array, debugLineStr = none): { text: string; paths: string[] } {
  const functions = readLineProgram(section, (_at, operand) => ({ functionIndex: 0, offset: operand - 0x1000 }), {
    debugStr: none,
    debugLineStr,
  });
  const rows = functions.get(0)!;
  const text = rows.addresses.map((address, row) => {
    const file = rows.files[row]!;
    return `${address}:${file < 0 ? 'end' : `${rows.lines[row]}${rows.unit[file]!.path.endsWith('.h') ? 'h' : ''}`}`;
  });
  return { text: text.join(' '), paths: rows.unit.map(({ path }) => path) };
}

describe('line programs', () => {
  it('reads version 3', () => {
    assert.deepEqual(rowsOf(bytesOf(version3)), { text: printed, paths: ['x.c', 'inner.h'] });
  });

  it('reads version 5, whose paths are in a section of strings', () => {
    assert.deepEqual(rowsOf(bytesOf(version5), bytesOf(lineStrings5)), {
      text: printed,
      paths: ['/src/x.c', '/src/x.c', '/src/inner.h'],
    });
  });

  it('passes over a version that it does not know', () => {
    const section = bytesOf(version3);
    section[4] = 9;
    assert.equal(readLineProgram(section, () => undefined, { debugStr: none, debugLineStr: none }).size, 0);
  });

  it('reads two units one behind the other', () => {
    const both = new Uint8Array([...bytesOf(version3), ...bytesOf(version3)]);
    let functionIndex = 0;
    const functions = readLineProgram(
      both,
      (_at, operand) => ({ functionIndex: functionIndex++, offset: operand - 0x1000 }),
      { debugStr: none, debugLineStr: none },
    );
    assert.equal(functions.size, 2);
    assert.deepEqual(functions.get(1)!.addresses, functions.get(0)!.addresses);
  });

  it('keeps the inlined call of NVIDIA as a context, counted in rows of the sequence', () => {
    // Version 2, header as nvcc writes it with 4 bytes more than is known; then: row, inlined call (context 1, name 7), row, leave, row, end.
    const files = [...Buffer.from('/src\0\0k.cu\0'), 1, 5, 9, ...Buffer.from('k.cuh\0'), 1, 6, 10, 0, 0, 0, 0, 0];
    const lengths = [0, 1, 1, 1, 1, 0, 0, 0, 1];
    const header = [1, 1, 0xfb, 14, 10, ...lengths, ...files];
    const program = [
      0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 9, 1, 4, 2, 0, 3, 0x90, 1, 7, 3, 0x77, 1, 0, 3, 0x90, 0, 0, 4, 1, 2, 16, 1, 2,
      16, 0, 1, 1,
    ];
    const body = [2, 0, header.length, 0, 0, 0, ...header, ...program];
    const section = new Uint8Array([body.length, 0, 0, 0, ...body]);
    const rows = readLineProgram(
      section,
      (operandOffset) => ({ functionIndex: 3, offset: operandOffset > 0 ? 0 : -1 }),
      { debugStr: none, debugLineStr: none },
    ).get(3)!;
    assert.deepEqual(
      {
        addresses: rows.addresses,
        files: rows.files,
        lines: rows.lines,
        contexts: rows.contexts,
        names: rows.names.slice(0, 3),
      },
      {
        addresses: [0, 0, 16, 32],
        files: [0, 1, 0, -1],
        lines: [10, 1, 1, 1],
        contexts: [0, 1, 0, 0],
        names: [0, 7, 0],
      },
    );
    assert.deepEqual(rows.unit, [
      { path: '/src/k.cu', modified: 5, bytes: 9 },
      { path: '/src/k.cuh', modified: 6, bytes: 10 },
    ]);
  });

  it('folds paths by their spelling', () => {
    const paths: [string, string][] = [
      [
        '/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp',
        '/usr/local/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp',
      ],
      ['/a/./b//c.cu', '/a/b/c.cu'],
      ['../up/k.cu', '../up/k.cu'],
      ['/../k.cu', '/k.cu'],
      ['a/../../k.cu', '../k.cu'],
      ['C:\\work\\..\\k.cu', 'C:\\k.cu'],
      ['/plain/k.cu', '/plain/k.cu'],
    ];
    for (const [path, folded] of paths) assert.equal(foldPath(path), folded);
    assert.equal(joinPath('/srv/kernels', 'k.cu'), '/srv/kernels/k.cu');
    assert.equal(joinPath('/srv/kernels', '/abs/k.cu'), '/abs/k.cu');
    assert.equal(joinPath('C:\\work', 'k.cu'), 'C:\\work\\k.cu');
    assert.equal(joinPath('', 'k.cu'), 'k.cu');
    assert.equal(joinPath('', '\\347\\256\\227.cu'), '算.cu');
  });
});
