// Linting on models written by hand: settings, grouping, suppression, rules that fail.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { lint, render, type AnyRule } from '../../server/src/lint/lint';
import { readRuleSettings } from '../../server/src/lint/settings';
import { registry } from '../../server/src/rules/registry';
import type { AccessFact, Facts, FactKind, Model } from '../../server/src/semantic/model';
import { noFacts } from '../../server/src/semantic/facts/registry';
import { defaultGpu } from '../../server/src/semantic/gpus';

const uri = 'file:///kernels.cu';
const text = [
  '__global__ void k(float *a) {',
  '  a[2 * threadIdx.x] = a[2 * threadIdx.x + 1];',
  '  a[2 * threadIdx.x + 3] = 0;',
  '}',
].join('\n');

function access(part: string, occurrence = 0, more: Partial<AccessFact> = {}): AccessFact {
  let start = -1;
  for (let i = 0; i <= occurrence; i++) start = text.indexOf(part, start + 1);
  return {
    kind: 'access',
    at: { uri, start, end: start + part.length },
    text: part,
    kernels: ['k'],
    space: 'global',
    mode: 'load',
    elementBytes: 4,
    elementType: 'float',
    array: { name: 'a' },
    sectors: 8,
    sectorsIdeal: 4,
    laneStride: 8,
    cause: 'stride',
    activeLanes: 32,
    executions: 1,
    certainty: 'proven',
    assumed: [],
    trail: [],
    loops: [],
    ...more,
  };
}

function modelOf(facts: Partial<{ [K in FactKind]: readonly Facts[K][] }>): Model {
  return { uri, notes: [], facts: { ...noFacts, ...facts } };
}

const model = modelOf({
  access: [
    access('a[2 * threadIdx.x + 1]'),
    access('a[2 * threadIdx.x]', 0, { mode: 'store' }),
    access('a[2 * threadIdx.x + 3]', 0, { mode: 'store', sectors: 16 }),
  ],
});
const run = (from = model, options: Partial<Parameters<typeof lint>[2]> = {}, source = text): ReturnType<typeof lint> =>
  lint(from, source, { gpu: defaultGpu, ...options });

describe('lint', () => {
  it('says each cause once a line, in order of place, in words with figures', () => {
    const { findings, failures } = run();
    deepStrictEqual(failures, []);
    deepStrictEqual(
      findings.map((finding) => [finding.rule, finding.at.start]),
      [
        ['cuda/uncoalesced-access', text.indexOf('a[2')],
        ['cuda/uncoalesced-access', text.indexOf('a[2 * threadIdx.x + 3]')],
      ],
    );
    strictEqual(
      findings[0]!.text,
      "Uncoalesced write to `a`: 2.0× sectors, 100 % of this kernel's traffic at 3 places (up to 4.0×). Neighbouring threads are 8 bytes apart: 8 sectors instead of 4.",
    );
    match(findings[0]!.docsUrl, /docs\/rules\/cuda\/uncoalesced-access\.md$/);
  });

  it('keeps the gravest of a group, with the fixes of all', () => {
    const edits = [{ at: { uri, start: 0, end: 5 }, newText: 'for' }];
    const fixes = { 'grid-stride': { variable: 'i', title: 'Make the loop over `i` grid-stride', edits } };
    const { findings } = run(
      modelOf({
        access: [access('a[2 * threadIdx.x]', 0, { fixes }), access('a[2 * threadIdx.x + 1]', 0, { sectors: 32 })],
      }),
    );
    strictEqual(findings.length, 1);
    match(findings[0]!.text, /: 8\.0× sectors,/);
    strictEqual(findings[0]!.fixes.length, 1);
  });

  it('honours off, severities and options', () => {
    const settings = (input: unknown): { settings: ReturnType<typeof readRuleSettings>['settings'] } => ({
      settings: readRuleSettings(input, registry).settings,
    });
    strictEqual(run(model, settings({ 'cuda/uncoalesced-access': 'off' })).findings.length, 0);
    deepStrictEqual(
      run(model, settings({ 'cuda/uncoalesced-access': 'error' })).findings.map((finding) => finding.severity),
      ['error', 'hint'],
    );
    strictEqual(run(model, settings({ 'cuda/uncoalesced-access': { minimumRatio: 3 } })).findings.length, 1);
    strictEqual(run(model, { only: new Set(['cuda/bank-conflict']) }).findings.length, 0);
  });

  it('complains about settings that mean nothing, and reads the rest', () => {
    const { settings, complaints } = readRuleSettings(
      {
        'cuda/bank-conflikt': 'off',
        'cuda/bank-conflict': 'loud',
        'cuda/block-shape': { smallGrid: 'no', small: 1, severity: 'hint' },
      },
      registry,
    );
    strictEqual(complaints.length, 4);
    match(complaints[0]!, /did you mean "cuda\/bank-conflict"/);
    strictEqual(settings.get('cuda/block-shape')!.severity, 'hint');
    for (const hostile of [null, undefined, 3, 'x', [], { 'cuda/bank-conflict': null }, { 'cuda/bank-conflict': 7 }])
      readRuleSettings(hostile, registry);
  });

  it('is quiet in quiet paths, except for severities that the user set', () => {
    const severities = (options: Partial<Parameters<typeof lint>[2]>): string[] =>
      run(model, options).findings.map((finding) => finding.severity);
    deepStrictEqual(severities({ quiet: true }), ['hint', 'hint']);
    const chosen = readRuleSettings({ 'cuda/uncoalesced-access': 'warning' }, registry).settings;
    deepStrictEqual(severities({ quiet: true, settings: chosen }), ['warning', 'hint']);
  });

  it('goes on when a rule throws, and says which', () => {
    const failing = {
      ...registry.find((rule) => rule.meta.id === 'cuda/bank-conflict')!,
      check: () => {
        throw new Error('no');
      },
    } as unknown as AnyRule;
    const { findings, failures } = run(model, {
      rules: [failing, ...registry.filter((rule) => rule.meta.id !== 'cuda/bank-conflict')],
    });
    deepStrictEqual(failures, [{ rule: 'cuda/bank-conflict', error: 'no' }]);
    strictEqual(findings.length, 2);
  });

  it('leaves out findings in other files', () => {
    const elsewhere = { ...access('a[2 * threadIdx.x]'), at: { uri: 'file:///other.cuh', start: 0, end: 3 } };
    strictEqual(run(modelOf({ access: [elsewhere] })).findings.length, 0);
  });
});

describe('suppression', () => {
  const lines = text.split('\n');
  const withComments = (changes: Readonly<Record<number, string>>): string =>
    lines.map((line, index) => (changes[index] === undefined ? line : line + changes[index])).join('\n');

  it('silences the line it names, and keeps what it silenced', () => {
    const source = withComments({ 1: ' // warplens-ignore-line cuda/uncoalesced-access: two wide' });
    const moved = source.indexOf('a[2 * threadIdx.x + 3]');
    const { findings, suppressed } = run(
      modelOf({
        access: [
          access('a[2 * threadIdx.x]'),
          { ...access('a[2 * threadIdx.x + 3]'), at: { uri, start: moved, end: moved + 22 } },
        ],
      }),
      {},
      source,
    );
    strictEqual(suppressed.length, 1);
    deepStrictEqual(
      findings.map((finding) => finding.at.start),
      [moved],
    );
  });

  it('of the file silences all lines', () => {
    const source = `${text}\n// warplens-ignore-file cuda/uncoalesced-access`;
    const { findings, suppressed } = run(model, {}, source);
    strictEqual(findings.length, 0);
    strictEqual(suppressed.length, 2);
  });

  it('that silences nothing is a hint, with the line it goes from', () => {
    const source = `${text}\n  // warplens-ignore-next-line cuda/bank-conflict: old\n`;
    const { findings } = run(modelOf({}), {}, source);
    deepStrictEqual(
      findings.map((finding) => [finding.rule, finding.severity]),
      [['warplens/unused-suppression', 'hint']],
    );
    const edit = findings[0]!.fixes[0]!.edits[0]!;
    strictEqual(source.slice(0, edit.at.start) + edit.newText + source.slice(edit.at.end), `${text}\n`);
    strictEqual(
      run(modelOf({}), { only: new Set(['cuda/block-shape']) }, source).findings.length,
      0,
      'the rule it names has not run',
    );
    strictEqual(run(modelOf({}), { reportSuppressions: false }, source).findings.length, 0);
  });

  it('of an unknown rule is a hint with the nearest one as its fix', () => {
    const source = `${text}\n// warplens-ignore-next-line cuda/bank-conflikt\nx;`;
    const [finding] = run(modelOf({}), {}, source).findings;
    strictEqual(finding!.rule, 'warplens/unknown-rule');
    match(finding!.text, /did you mean `cuda\/bank-conflict`/);
    strictEqual(finding!.fixes[0]!.edits[0]!.newText, 'cuda/bank-conflict');
  });
});

describe('messages', () => {
  it('fill in their data, and show a name without a value', () => {
    strictEqual(render('{a} of {b}', { a: 1 }), '1 of {b}');
  });
  it('are sentences, and every rule says what a rule must say', () => {
    for (const { meta } of registry) {
      match(meta.id, /^(cuda|acc)\/[a-z][a-z0-9-]*$/);
      for (const [id, message] of Object.entries<string>(meta.messages))
        match(message, /^[A-Z`{].*[.?]\)?$/s, `${meta.id} ${id}`);
      match(meta.summary, /^[A-Z`].*\.$/, meta.id);
      ok(meta.docs.references.length > 0, `${meta.id} has references`);
      for (const { url } of meta.docs.references) match(url, /^https:\/\//);
      ok(meta.docs.whenNot.length > 40, `${meta.id} says when it is silent`);
    }
  });
});
