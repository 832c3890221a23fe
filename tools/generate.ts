// Prints everything that follows from the rules: the registry, their pages, the README's table, the settings. `--check`
// only says what has drifted.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { settingDefinitions } from '../protocol/src/settings';
import type { MeasuredFix } from '../server/src/rules/page';
import type { RuleMeta } from '../server/src/rules/rule';
import { precisionPage } from './precision';

const root = join(__dirname, '..');
const rulesFolder = join(root, 'server/src/rules');

/** Path below the root to wanted contents. */
type Outputs = Map<string, string>;

function ruleIds(): string[] {
  return readdirSync(rulesFolder, { withFileTypes: true })
    .filter((family) => family.isDirectory())
    .flatMap((family) => readdirSync(join(rulesFolder, family.name)).map((name) => `${family.name}/${name}`))
    .filter((id) => existsSync(join(rulesFolder, id, 'rule.ts')))
    .sort();
}

function registryText(ids: readonly string[]): string {
  const nameOf = (id: string): string =>
    id
      .split(/[/-]/)
      .map((part, index) => (index === 0 ? part : part[0]!.toUpperCase() + part.slice(1)))
      .join('');
  const imports = ids.map((id) => {
    const text = readFileSync(join(rulesFolder, id, 'rule.ts'), 'utf8');
    const named = /^export const (\w+)[^=]*= defineRule/m.exec(text)?.[1];
    return /^export default /m.test(text)
      ? `import ${nameOf(id)} from './${id}/rule';`
      : `import { ${named ?? 'rule'} as ${nameOf(id)} } from './${id}/rule';`;
  });
  return [
    '// Every rule there is. Printed by tools/generate.ts from the folders beside this file: do not edit.',
    "import type { FactKind } from '../semantic/model';",
    "import type { Rule } from './rule';",
    ...imports,
    '',
    'export const registry: readonly { [K in FactKind]: Rule<K, string> }[FactKind][] = [',
    ...ids.map((id) => `  ${nameOf(id)},`),
    '];',
    '',
  ].join('\n');
}

function ruleTable(metas: readonly RuleMeta[], link: (id: string) => string): string[] {
  const fixes = { safe: 'safe', unsafe: 'unsafe', both: 'safe and unsafe', no: '' };
  return [
    '| rule | severity | finds | fix |',
    '|---|---|---|---|',
    ...metas.map(
      (meta) => `| [${meta.id}](${link(meta.id)}) | ${meta.severity} | ${meta.summary} | ${fixes[meta.fixable]} |`,
    ),
  ];
}

/** What the extension lists, where it cannot look into its own folders. */
function pageList(metas: readonly RuleMeta[]): string {
  const rows = metas.map(({ id, summary }) => ({ id, summary })).sort((a, b) => a.id.localeCompare(b.id));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}

function settingSchema(meta: RuleMeta): object {
  const severity = {
    type: 'string',
    enum: ['off', 'hint', 'information', 'warning', 'error', 'default'],
    default: 'default',
  };
  const options = Object.fromEntries(
    Object.entries(meta.options ?? {}).map(([name, option]) => [
      name,
      { type: option.type, default: option.default, description: option.description },
    ]),
  );
  return {
    markdownDescription: `${meta.summary} (${meta.severity})`,
    anyOf: [severity, { type: 'object', properties: { severity, ...options }, additionalProperties: false }],
  };
}

function manifestText(metas: readonly RuleMeta[]): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    contributes?: { configuration?: unknown };
  };
  const setting = {
    type: 'object',
    scope: 'resource',
    default: {},
    additionalProperties: false,
    order: 50,
    markdownDescription:
      'Severity and options by rule: `"cuda/bank-conflict": "off"`, or an object with `severity` and the rule\'s options.',
    properties: Object.fromEntries(metas.map((meta) => [meta.id, settingSchema(meta)])),
  };
  const contributes = (manifest.contributes ??= {});
  const configuration = (contributes.configuration ??= { title: 'Warplens', properties: {} });
  const sections = (Array.isArray(configuration) ? configuration : [configuration]) as {
    title?: string;
    properties?: Record<string, unknown>;
  }[];
  const section = sections.find((one) => one.properties && 'warplens.rules' in one.properties) ?? sections[0]!;
  const printed: Record<string, unknown> = Object.fromEntries(
    Object.entries(settingDefinitions).map(([key, definition], at) => [
      `warplens.${key}`,
      { ...definition, order: at },
    ]),
  );
  // The other files were written by hand.
  section.properties = {
    ...printed,
    'warplens.rules': setting,
    ...Object.fromEntries(
      Object.entries(section.properties ?? {}).filter(([key]) => !(key in printed) && key !== 'warplens.rules'),
    ),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const ruleMarkers = ['<!-- rules: printed by tools/generate.ts -->', '<!-- end of rules -->'] as const;
const settingMarkers = ['<!-- settings: printed by tools/generate.ts -->', '<!-- end of settings -->'] as const;

function settingTable(): string[] {
  return [
    '| setting | default | |',
    '|---|---|---|',
    ...Object.entries(settingDefinitions).map(
      ([key, { default: value, markdownDescription }]) =>
        `| \`warplens.${key}\` | \`${JSON.stringify(value)}\` | ${markdownDescription.replaceAll('|', '\\|')} |`,
    ),
  ];
}

/** The README with both tables reprinted; absent if its markers are. */
function readmeText(metas: readonly RuleMeta[]): string | undefined {
  const path = join(root, 'README.md');
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const withRules = between(
    text,
    ruleMarkers,
    ruleTable(metas, (id) => `docs/rules/${id}.md`),
  );
  return withRules && between(withRules, settingMarkers, settingTable());
}

function between(text: string, [first, last]: readonly [string, string], lines: readonly string[]): string | undefined {
  const start = text.indexOf(first);
  const end = text.indexOf(last);
  return start < 0 || end < start
    ? undefined
    : `${text.slice(0, start + first.length)}\n${lines.join('\n')}\n${text.slice(end)}`;
}

function write(outputs: Outputs): void {
  for (const [path, text] of outputs) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (!existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text) {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
  }
}

function drift(outputs: Outputs): string[] {
  return [...outputs]
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(([path]) => path);
}

/** Pages of rules that are gone. */
function strayPages(outputs: Outputs): string[] {
  const pages = join(root, 'docs/rules');
  if (!existsSync(pages)) return [];
  return readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => relative(root, join(pages, name)).split('\\').join('/'))
    .filter((path) => !outputs.has(path));
}

async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  const registryOutput: Outputs = new Map([['server/src/rules/registry.ts', registryText(ruleIds())]]);
  const problems = check ? drift(registryOutput) : [];
  // The registry is imported only once it is right; a stale one would print pages for rules that are gone.
  if (!check) write(registryOutput);
  if (problems.length === 0) {
    const { registry } = await import('../server/src/rules/registry');
    const { openaccPage } = await import('../server/src/rules/openaccFigures');
    const { gainOf, measuredFixes, measuredOn, measuredPairs, rulePage } = await import('../server/src/rules/page');
    const metas = registry.map((rule) => rule.meta as RuleMeta);
    const outputs: Outputs = new Map();
    for (const meta of metas) outputs.set(`docs/rules/${meta.id}.md`, rulePage(meta));
    outputs.set('client/src/rulePages.json', pageList(metas));
    outputs.set(
      'docs/rules/README.md',
      [
        '# Rules',
        '',
        ...ruleTable(metas, (id) => `${id}.md`),
        '',
        'A safe fix keeps the meaning of the program; an unsafe one may change results or resources, and its title says what.',
        'A comment silences a rule: `// warplens-ignore-line cuda/bank-conflict: reason` at the end of the line, `// warplens-ignore-next-line …` above it, `// warplens-ignore-file …` for the whole file; several rules are parted by commas.',
        '',
      ].join('\n'),
    );
    outputs.set('docs/measurements/h200-rule-pairs.md', measurementPage(metas, measuredOn, measuredPairs));
    outputs.set('docs/measurements/h200-fixes.md', fixesPage(measuredFixes, gainOf));
    outputs.set('docs/measurements/h200-openacc.md', openaccPage());
    outputs.set('docs/measurements/precision-rules.md', precisionPage());
    outputs.set('package.json', manifestText(metas));
    const readme = readmeText(metas);
    if (readme !== undefined) outputs.set('README.md', readme);
    else
      problems.push(
        `README.md (it wants the lines "${ruleMarkers[0]}" and "${ruleMarkers[1]}" around the rule table, and likewise for the settings)`,
      );
    if (check) problems.push(...drift(outputs), ...strayPages(outputs));
    else {
      write(outputs);
      for (const page of strayPages(outputs)) {
        rmSync(join(root, page));
        console.log(`removed ${page}`);
      }
    }
  }
  if (problems.length > 0) {
    console.error(
      `${check ? 'Drifted, run `npx tsx tools/generate.ts`' : 'Not printed'}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    process.exitCode = 1;
  }
}

function measurementPage(
  metas: readonly RuleMeta[],
  on: { readonly gpu: string; readonly cuda: string; readonly method: string },
  pairsOf: (id: string) => readonly {
    readonly rule: string;
    readonly before: string;
    readonly after: string;
    readonly gain: number;
    readonly note?: string;
  }[],
): string {
  return [
    '# What the rules are worth on an H200',
    '',
    `${on.gpu}, CUDA ${on.cuda}, ${on.method}. Small kernels written for one pattern each; gains that are nil are listed too. The figures are in h200-rule-pairs.json beside this page.`,
    '',
    '| rule | before | after | gain |',
    '|---|---|---|---|',
    ...metas.flatMap((meta) =>
      pairsOf(meta.id).map(
        (pair) =>
          `| [${meta.id}](../rules/${meta.id}.md) | ${pair.before} | ${pair.after} | ${pair.gain}×${pair.note ? ` (${pair.note})` : ''} |`,
      ),
    ),
    '',
  ].join('\n');
}

function fixesPage(fixes: readonly MeasuredFix[], gainOf: (fix: MeasuredFix) => string): string {
  const on = JSON.parse(readFileSync(join(root, 'docs/measurements/h200-fixes.json'), 'utf8')) as Record<
    'gpu' | 'cuda' | 'driver' | 'date' | 'method',
    string
  >;
  return [
    '# What the fixes bring on an H200',
    '',
    `${on.gpu}, CUDA ${on.cuda}, driver ${on.driver}, ${on.date}; ${on.method}. Safe and unsafe fixes are what the editor's quick fixes made of the sample, by hand is the sample's \`.fixed.cu\` or the next stage of \`samples/ado\`. Every pair was compared by its result. On a machine with nvcc and a GPU this repeats it:`,
    '',
    '```',
    'npx tsx test/gpu/writePairs.ts out/fixes',
    'test/gpu/run.sh out/fixes',
    '```',
    '',
    'Gains that are nil are listed too. The same change measured twice (tail/partial-warp, whose fix is the change by hand) differed by 6 %, so gains below 1.1× say nothing.',
    "The rules' own small examples print no times and are not listed. In a later run on the same GPU and CUDA all 48 programs that the quick fixes made, of the samples and of the rules' examples, printed the same results as before them (two of them within 1.5e-06).",
    'Programs under test/gpu/fixes were measured on 2026-11-22. On that day twelve variations of each family (a warp for each row, x and y exchanged, a tile, shuffles) ran on the same GPU on both sides with equal results, and compute-sanitizer (memcheck, racecheck, synccheck) found nothing:',
    '',
    '```',
    'npx tsx test/gpu/writeVariations.ts out/variations',
    'test/gpu/runVariations.sh out/variations',
    '```',
    '',
    'Once more in the evening of that day with ten families (those four, rows of a block, divided guards, layouts of ' +
      'tiles, wide stores, one atomic a warp, powers; seed 78, 24 variations of each, 240 in all): equal results but in ' +
      'one of powers, where `powf(x, 2.0f) / 3 + total` differs in its last bit (1.66666663 and 1.66666675: the product ' +
      'is contracted with the sum, which the title allows for); memcheck, racecheck and synccheck found nothing in any.',
    '',
    'On 2026-11-23 copies behind their loop, memory from pools, sums in registers, tiles for planes of any extents, ' +
      'atomics once a warp for fields and template types, stores of loops, structures aligned to their size, and ends ' +
      'for kernels that have none (the last nine rows below; of each family, and of a warp for each row, 16 variations ' +
      'with seed 79): equal results, and memcheck, racecheck and synccheck found nothing.',
    '',
    'Later on 23 November (the last fourteen quick fixes below): fields side by side, sums in shared ' +
      'memory, smaller blocks (decision 541) and kernels as one. Smaller blocks gained nothing where ' +
      'threads walk down columns. memcheck found nothing in these programs on either side, nor did ' +
      'racecheck and synccheck in those with shared memory, but for racecheck on sum-field before its fix, ' +
      'which did not end in 100 s. Sixteen variations each of ten families (fields side by side, sums in ' +
      'shared memory, kernels as one, other blocks, branches, literals together, aligned structures, tiles, ' +
      'atomics once a warp, powers; seed 91): equal results, and the three tools found nothing but four ' +
      'warnings of racecheck after the fix of one variation of sums in shared memory. nvcc reads two ' +
      'neighbouring elements there by one `LDS.128`, one of them behind the end of the loop, where another ' +
      'thread stores; built with `-G` there is no warning.',
    '',
    'In the night of 23 November kernels of blocks of one thread that nothing ends (blocks-of-one-without-end below), ' +
      'and 24 variations each of three families of blocks (one thread with an end of the kernel, one thread without, ' +
      'rewritten launches; seed 97): equal results, and memcheck, racecheck and synccheck found nothing.',
    '',
    'The figures are in h200-fixes.json beside this page.',
    '',
    '| sample | rule | change | before (ms) | after (ms) | gain | results |',
    '|---|---|---|---|---|---|---|',
    ...fixes.map(
      (fix) =>
        `| ${fix.sample} | ${fix.rule ? `[${fix.rule}](../rules/${fix.rule}.md)` : ''} | ${fix.change}${fix.note ? ` (${fix.note})` : ''} | ${fix.before} | ${fix.after} | ${gainOf(fix)} | ${fix.results} |`,
    ),
    '',
  ].join('\n');
}

void main();
