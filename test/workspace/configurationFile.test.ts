// warplens.json: where it is found, what it sets, and one sentence for each thing that is wrong in it.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import {
  createConfigurationFiles,
  matcherOf,
  mergedRules,
  readConfiguration,
} from '../../server/src/workspace/configurationFile';
import { unobserved } from '../../server/src/workspace/observedFiles';
import { memoryFileSystem, memoryUri, memoryWorkspace } from '../support/analyseText';

const path = '/p/warplens.json';

describe('warplens.json', () => {
  it('holds settings, with comments and trailing commas', () => {
    const { complaints, isExcluded, isQuiet, ...plain } = readConfiguration(
      path,
      `\ufeff{
        // Severities first.
        "$schema": "x",
        "severities": { "cuda/bank-conflict": "off", "cuda/uncoalesced-access": "error" },
        "options": { "cuda/uncoalesced-access": { "minimumRatio": 4 } },
        "gpu": "A100", /* the cluster */
        "defines": { "BLOCK": "256" },
        "includeFolders": ["include", "/opt/inc"],
        "exclude": ["third_party/**", "!third_party/ours.cu"],
        "quiet": ["bench"],
        "failOnUnread": true,
      }`,
    );
    deepStrictEqual(complaints, []);
    deepStrictEqual(plain, {
      path,
      gpu: 'A100',
      defines: { BLOCK: '256' },
      includeDirs: ['/p/include', '/opt/inc'],
      failOnUnread: true,
      rules: {
        'cuda/bank-conflict': { severity: 'off' },
        'cuda/uncoalesced-access': { severity: 'error', minimumRatio: 4 },
      },
    });
    deepStrictEqual(
      ['/p/third_party/a.cu', '/p/third_party/ours.cu', '/p/a.cu', '/elsewhere/third_party/a.cu'].map(isExcluded),
      [true, false, false, false],
    );
    deepStrictEqual(['/p/x/Bench/a.cu', '/p/workbench/a.cu'].map(isQuiet!), [true, false]);
  });

  it('says of each mistake its line and what to write, and keeps the rest', () => {
    const lines = [
      '{',
      '"severitis": {},',
      '"severities": { "cuda/bank-conflikt": "off",',
      '"cuda/bank-conflict": "loud", "cuda/alloc-in-loop": "off" },',
      '"options": { "cuda/uncoalesced-access": { "minimumRato": 2,',
      '"minimumRatio": "2" } },',
      '"gpu": "Voodoo",',
      '"defines": { "1X": "a",',
      '"N": 4, "M": "5" },',
      '"includeFolders": "include",',
      '"exclude": [1],',
      '"quiet": {}',
      '}',
    ];
    const read = readConfiguration(path, lines.join('\n'));
    const wanted: readonly [number, RegExp][] = [
      [2, /no key "severitis" \(did you mean "severities"\?\)/],
      [3, /no rule "cuda\/bank-conflikt" \(did you mean "cuda\/bank-conflict"\?\)/],
      [4, /"loud"/],
      [5, /no option "minimumRato" \(did you mean "minimumRatio"\?\)/],
      [6, /"minimumRatio" wants a number/],
      [7, /Unknown GPU "Voodoo"/],
      [8, /"1X" is not a valid macro name/],
      [9, /value of "N" must be a string/],
      [10, /"includeFolders" must be a list of folders/],
      [11, /"exclude" must be a list of patterns/],
      [12, /"quiet" must be a list of patterns/],
    ];
    for (const [line, sentence] of wanted)
      ok(
        read.complaints.some((one) => one.startsWith(`${path}:${line}: `) && sentence.test(one)),
        `${line} ${sentence}: ${read.complaints.join('\n')}`,
      );
    strictEqual(read.complaints.length, wanted.length);
    deepStrictEqual(
      [read.defines, read.rules, read.gpu],
      [{ M: '5' }, { 'cuda/alloc-in-loop': { severity: 'off' } }, undefined],
    );
  });

  it('keeps the properties before a JSON error, and survives any text', () => {
    const cut = readConfiguration(path, '{\n  "gpu": "A100",\n  "defines": { "N": "4"\n');
    strictEqual(cut.gpu, 'A100');
    match(cut.complaints[0]!, /^\/p\/warplens\.json:\d: The JSON is invalid \(close brace expected\)/);
    strictEqual(cut.complaints.length, 1);
    for (const text of ['', '[]', 'null', '{', '"x"', '{"a"', '{"severities": [}', '\0', '{"options": {"cuda/x": 1}}'])
      strictEqual(readConfiguration(path, text).complaints.length > 0, true, text);
  });

  it('is the nearest one upwards, within the repository', () => {
    const files = new Map([
      ['/warplens.json', '{ "gpu": "V100" }'],
      ['/p/.git/HEAD', 'ref'],
      ['/q/warplens.json', '{ "gpu": "A100" }'],
      ['/q/.git/HEAD', 'ref'],
      ['/q/inner/warplens.json', '{ "gpu": "H200" }'],
    ]);
    const found = createConfigurationFiles(memoryFileSystem(files), unobserved);
    deepStrictEqual(
      ['/p/src/a.cu', '/q/src/a.cu', '/q/inner/deep/a.cu', '/r/a.cu'].map((file) => found.of(file)?.gpu),
      [undefined, 'A100', 'H200', 'V100'],
    );
    files.set('/q/warplens.json', '{ "gpu": "H100" }');
    found.changed();
    strictEqual(found.of('/q/src/a.cu')?.gpu, 'H100');
  });

  it('yields to what was chosen elsewhere, key by key', () => {
    const project = readConfiguration(
      path,
      '{ "severities": { "cuda/uncoalesced-access": "error" }, "options": { "cuda/uncoalesced-access": { "minimumRatio": 4 } } }',
    );
    const rule = (chosen: Parameters<typeof mergedRules>[1]) =>
      mergedRules(project, chosen).get('cuda/uncoalesced-access');
    deepStrictEqual(rule({}), { off: false, severity: 'error', options: { minimumRatio: 4 } });
    deepStrictEqual(rule({ 'cuda/uncoalesced-access': 'default' }), {
      off: false,
      severity: undefined,
      options: { minimumRatio: 4 },
    });
    strictEqual(rule({ 'cuda/uncoalesced-access': 'off' })!.off, true);
    deepStrictEqual(rule({ 'cuda/uncoalesced-access': { minimumRatio: 8 } })!.options, { minimumRatio: 8 });
  });

  it('sets the GPU, macros and include folders of its files, and settings win over it', async () => {
    const files = new Map([
      ['/memory/warplens.json', '{ "gpu": "A100", "defines": { "STEP": "4" }, "includeFolders": ["inc"] }'],
      ['/memory/inc/wide.h', '#define WIDE 1\n'],
      ['/memory/a.cu', '#include "wide.h"\n__global__ void k(float *a) { a[STEP * threadIdx.x] = WIDE; }\n'],
    ]);
    const sectors = async (settings: Parameters<typeof memoryWorkspace>[1]) => {
      const workspace = await memoryWorkspace(files, settings);
      const { model, gpu } = workspace.analyse(memoryUri('a.cu'))!;
      return [gpu.name, model.facts.access[0]?.sectors, model.notes.length];
    };
    deepStrictEqual(await sectors({}), ['A100', 16, 0]);
    deepStrictEqual(await sectors({ gpu: 'H100', defines: { STEP: '2' } }), ['H100', 8, 0]);
  });

  it('is described by the schema that the extension contributes', () => {
    const schema = JSON.parse(readFileSync(join(__dirname, '../../schemas/warplens.schema.json'), 'utf8')) as object;
    const validate = new Ajv({ strict: true }).compile(schema);
    ok(
      validate({
        $schema: 'x',
        severities: { 'cuda/bank-conflict': 'off' },
        options: { 'cuda/uncoalesced-access': { minimumRatio: 4 } },
        gpu: 'H100',
        defines: { N: '4' },
        includeFolders: ['a'],
        exclude: ['b/**'],
        quiet: ['c'],
      }),
      JSON.stringify(validate.errors),
    );
    for (const wrong of [
      { severity: {} },
      { severities: { 'cuda/nothing': 'off' } },
      { severities: { 'cuda/bank-conflict': 'loud' } },
      { options: { 'cuda/uncoalesced-access': { minimumRatio: '4' } } },
      { defines: { '1X': 'a' } },
      { exclude: 'b' },
    ])
      strictEqual(validate(wrong), false, JSON.stringify(wrong));
  });

  it('matches nothing outside of its folder', () => {
    const isExcluded = matcherOf('/p', ['*.cu'], false);
    deepStrictEqual(['/p/a.cu', '/p', '/a.cu', '/p/../q/a.cu'].map(isExcluded), [true, false, false, false]);
  });
});
