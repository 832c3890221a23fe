// What is found in included files by their tokens is what parsing all of them finds, and little of them is parsed.
import assert from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultGpu } from '../../server/src/semantic/gpus';
import { collectLaunches } from '../../server/src/semantic';
import type { Declarations, SourceFile, StructDecl, Syntax } from '../../server/src/syntax';
import { classKey, functionKey, memberKey } from '../../server/src/syntax/pieces';
import { createWorkspace } from '../../server/src/workspace/workspace';
import { memoryFileSystem, testSyntax } from '../support/analyseText';
import { newSyntax } from '../syntax/support';

const last = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** The keys of what declarations are, not of what their tokens look like. */
function keysOf({ functions, structs, aliases, enums, globals, instantiations }: Declarations): Set<string> {
  const all = (decl: StructDecl): StructDecl[] => [decl, ...decl.structs.flatMap(all)];
  const classes = structs.flatMap(all);
  const enumerations = [enums, ...classes.map((decl) => decl.enums)].flat();
  return new Set([
    ...functions.map(({ name }) => functionKey(last(name))),
    ...functions.flatMap(({ className }) => (className === undefined ? [] : memberKey(last(className)))),
    ...[...classes, ...enumerations].map(({ name }) => classKey(last(name))),
    ...[aliases, globals, ...classes.map((decl) => decl.aliases)].flat().map(({ name }) => last(name)),
    ...enumerations.flatMap(({ values }) => values.map(({ name }) => name)),
    ...(instantiations.length > 0 ? ['template'] : []),
  ]);
}

/** Each file as one piece, found by what it declares and by every word. */
function eager(syntax: Syntax): Syntax {
  const whole = new WeakMap<SourceFile, SourceFile>();
  const parsed = (file: SourceFile): SourceFile => {
    const words = new Set(file.pieces.flatMap((piece) => [...piece.words()]));
    const piece = { ...file.pieces[0]!, declared: () => file, names: keysOf(file), words: () => words };
    const made = whole.get(file) ?? { ...file, pieces: file.pieces.length > 0 ? [piece] : [] };
    whole.set(file, made);
    return made;
  };
  return {
    ...syntax,
    parse: (...args) => {
      const unit = syntax.parse(...args);
      const files = unit.files.map(parsed);
      return { ...unit, main: files[0]!, files };
    },
  };
}

const folder = join(__dirname, 'model');
const examples = readdirSync(folder).filter((name) => name.endsWith('.cu'));
const filler = Array.from({ length: 300 }, (_, at) => `struct S${at} { int f${at}() {return n=${at};} };\n`).join('');

describe('included files', function () {
  this.timeout(120_000);

  for (const example of examples)
    it(`give ${example} the model that parsing all of them gives`, async () => {
      const header = pathToFileURL('/memory/example.cuh').href;
      const files = new Map([
        ['/memory/example.cuh', readFileSync(join(folder, example), 'utf8')],
        ['/memory/main.cu', '#include "example.cuh"\n'],
      ]);
      const modelsOf = (syntax: Syntax): unknown[] => {
        const workspace = createWorkspace({ fileSystem: memoryFileSystem(files), syntax, settings: {} });
        return [header, pathToFileURL('/memory/main.cu').href].map((uri) => workspace.analyse(uri)?.model);
      };
      assert.deepStrictEqual(modelsOf(await newSyntax()), modelsOf(eager(await newSyntax())));
    });

  it('are parsed only where a name that they declare is looked up', async () => {
    const syntax = await testSyntax();
    const text = '#include <large.h>\n__global__ void k(S7 *a) { a[threadIdx.x].f7(); }\n';
    const files = new Map([
      ['/memory/large.h', `${filler}struct L { int n; template <class K> void go(K f) {f<<<1, n>>>();} };`],
      ['/memory/main.cu', text],
    ]);
    const before = syntax.stats().parsed;
    const settings = { includeDirs: ['/memory'] };
    const uri = pathToFileURL('/memory/main.cu').href;
    createWorkspace({ fileSystem: memoryFileSystem(files), syntax, settings }).analyse(uri);
    const unit = syntax.parse(
      uri,
      text,
      1,
      { defines: {}, computeCapability: 90 },
      {
        resolve: () => ({ uri: 'file:///memory/large.h', text: filler, version: 1 }),
      },
    );
    const [asked, other] = ['f7(', 'f8('].map((name) => unit.files[1]!.pieces.find((piece) => piece.names.has(name)));
    assert.ok(asked && other);
    const parsed = syntax.stats().parsed - before;
    assert.ok(parsed < 10, `${parsed} of 300 classes`);
    assert.deepStrictEqual(keysOf(asked.declared()), new Set(['f7(', 'S7::', 'S7{']));
  });

  it('launch kernels with a space between the brackets, too', async () => {
    const launch = '__global__ void k(float *a) { a[threadIdx.x] = 0; }\nvoid run(float *a) { k<< <1, 64>> >(a); }\n';
    const syntax = await testSyntax();
    for (const text of [launch, '#include "run.cuh"\n']) {
      const unit = syntax.parse(
        'file:///memory/main.cu',
        text,
        1,
        { defines: {}, computeCapability: 90 },
        { resolve: () => ({ uri: 'file:///memory/run.cuh', text: launch, version: 1 }) },
      );
      assert.deepStrictEqual(
        [...collectLaunches(unit, { gpu: defaultGpu })].map(([name, { length }]) => [name, length]),
        [['k', 1]],
      );
    }
  });
});
