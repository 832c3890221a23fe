// Prints everything that follows from the rules: the registry, their pages, their table, the settings. `--check` only
// reports what has drifted.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { settingDefinitions } from '../protocol/src/settings';
import type { MeasuredFix } from '../server/src/rules/page';
import type { RuleMeta } from '../server/src/rules/rule';
import { gpuNames, gpuPattern, knownGpus } from '../server/src/workspace/gpuNames';
import { configurationSchema } from './configurationSchema';
import { keyedManifest, keysIn, manifestTexts, type Texts, withKeys } from './manifest';

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

function ruleTable(metas: readonly RuleMeta[]): string[] {
  const fixes = { safe: 'safe', unsafe: 'unsafe', both: 'safe and unsafe', no: '' };
  return [
    '| rule | severity | finds | fix |',
    '|---|---|---|---|',
    ...metas.map(
      (meta) => `| [${meta.id}](${meta.id}.md) | ${meta.severity} | ${meta.summary} | ${fixes[meta.fixable]} |`,
    ),
  ];
}

/** What the extension lists, where it cannot look into its own folders. */
function pageList(metas: readonly RuleMeta[]): string {
  const rows = metas.map(({ id, summary }) => ({ id, summary })).sort((a, b) => a.id.localeCompare(b.id));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}

/** Severity and options by rule: one shape for all, since an editor lists the names. */
function rulesSetting(metas: readonly RuleMeta[]): object {
  const severity = {
    type: 'string',
    enum: ['off', 'hint', 'information', 'warning', 'error', 'default'],
    default: 'default',
  };
  const properties: Record<string, { readonly type: string; readonly description: string }> = {};
  for (const { id, options } of metas)
    for (const [name, { type, description }] of Object.entries(options ?? {})) {
      const others = properties[name] ? `${properties[name].description} ` : '';
      properties[name] = { type, description: `${others}${id}: ${description}` };
    }
  return {
    type: 'object',
    scope: 'resource',
    default: {},
    order: 50,
    markdownDescription:
      'Severity and options by rule: `"cuda/bank-conflict": "off"`, or an object with `severity` ' +
      "and the rule's options.",
    propertyNames: {
      enum: metas.map(({ id }) => id),
      markdownEnumDescriptions: metas.map(({ summary, severity: usual }) => `${summary} (${usual})`),
    },
    additionalProperties: {
      anyOf: [severity, { type: 'object', properties: { severity, ...properties }, additionalProperties: false }],
    },
  };
}

const editorSettings = new Set(
  'show inlayHints codeLens compilerFeedback.inlayHints debounce trace.timings'.split(' '),
);

interface SettingGroup {
  readonly title: string;
  properties: Record<string, unknown>;
}

/** package.json with the settings that are printed, and package.nls.json with the texts of its keys. */
function manifestOutputs(metas: readonly RuleMeta[]): [path: string, text: string][] {
  const printed = new Map<string, { readonly group: string; readonly definition: object }>([
    ['warplens.rules', { group: 'analysis', definition: rulesSetting(metas) }],
  ]);
  for (const [at, [key, definition]] of Object.entries(settingDefinitions).entries()) {
    const gpu = key === 'gpu' ? { pattern: gpuPattern(), patternErrorMessage: knownGpus, examples: gpuNames } : {};
    const group = editorSettings.has(key) ? 'editor' : key.startsWith('profile.') ? 'profiling' : 'analysis';
    printed.set(`warplens.${key}`, { group, definition: { ...definition, ...gpu, order: at } });
  }
  const texts: Texts = { ...manifestTexts };
  const manifest = structuredClone(keyedManifest);
  // Other settings are written by hand.
  for (const group of manifest.contributes.configuration as unknown as SettingGroup[]) {
    const own = [...printed].filter(([, each]) => group.title === `%configuration.${each.group}.title%`);
    const others = Object.entries(group.properties).filter(([key]) => !printed.has(key));
    group.properties = Object.fromEntries([
      ...own.map(([key, { definition }]) => [key, withKeys(definition, `setting.${key}`, texts)]),
      ...others,
    ]);
  }
  const used = keysIn(manifest).map((key) => [key, texts[key]]);
  return [
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['package.nls.json', `${JSON.stringify(Object.fromEntries(used), null, 2)}\n`],
  ];
}

const settingMarkers = ['<!-- settings: printed by tools/generate.ts -->', '<!-- end of settings -->'] as const;
const settingsPage = 'docs/settings.md';
const editorsPage = 'docs/editors.md';

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

/** The page of settings with its table printed; undefined where its markers are missing. */
function settingsText(): string | undefined {
  const path = join(root, settingsPage);
  return existsSync(path) ? between(readFileSync(path, 'utf8'), settingMarkers, settingTable()) : undefined;
}

/** The page of other editors, with the files of docs/editors as they are tested. */
function editorsText(): string {
  return readFileSync(join(root, editorsPage), 'utf8').replace(
    /(<!-- (docs\/editors\/[\w.]+): printed by tools\/generate\.ts -->\n```\w+\n)[\s\S]*?(?=```\n)/g,
    (_, head: string, path: string) => head + readFileSync(join(root, path), 'utf8'),
  );
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
    const { gainOf, measuredFixes, rulePage } = await import('../server/src/rules/page');
    const metas = registry.map((rule) => rule.meta as RuleMeta);
    const outputs: Outputs = new Map();
    for (const meta of metas) outputs.set(`docs/rules/${meta.id}.md`, rulePage(meta));
    outputs.set('client/src/rulePages.json', pageList(metas));
    outputs.set(
      'docs/rules/README.md',
      [
        '# Rules',
        '',
        ...ruleTable(metas),
        '',
        'A safe fix keeps the meaning of the program; an unsafe one may change results or ' +
          'resources, and its title says what.',
        'A comment silences a rule: `// warplens-ignore-line cuda/bank-conflict: reason` at the ' +
          'end of the line, `// warplens-ignore-next-line …` above it, `// warplens-ignore-file …` ' +
          'for the whole file; several rules are parted by commas.',
        '',
      ].join('\n'),
    );
    outputs.set('docs/measurements/h200-fixes.md', fixesPage(measuredFixes, gainOf));
    outputs.set('docs/measurements/h200-openacc.md', openaccPage());
    outputs.set('schemas/warplens.schema.json', configurationSchema(metas));
    for (const [path, text] of manifestOutputs(metas)) outputs.set(path, text);
    outputs.set(editorsPage, editorsText());
    const settings = settingsText();
    if (settings !== undefined) outputs.set(settingsPage, settings);
    else problems.push(`${settingsPage} (add the lines "${settingMarkers[0]}" and "${settingMarkers[1]}")`);
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

function fixesPage(fixes: readonly MeasuredFix[], gainOf: (fix: MeasuredFix) => string): string {
  const on = JSON.parse(readFileSync(join(root, 'docs/measurements/h200-fixes.json'), 'utf8')) as Record<
    'gpu' | 'cuda' | 'driver' | 'date' | 'method',
    string
  >;
  return [
    '# What the fixes gain on an H200',
    '',
    `${on.gpu}, CUDA ${on.cuda}, driver ${on.driver}; ${on.method}. Safe and unsafe fixes are ` +
      'what the quick fixes make of the sample; by hand is its `.fixed.cu` or the next stage ' +
      'of `samples/ado`. The results are equal unless a row says otherwise. To repeat on a ' +
      'machine with nvcc and a GPU:',
    '',
    '```',
    'npx tsx lab/gpu/writePairs.ts out/fixes && lab/gpu/run.sh out/fixes',
    'npx tsx lab/gpu/writeVariations.ts out/variations && lab/gpu/runVariations.sh out/variations',
    '```',
    '',
    'Nil gains are listed. The same change measured twice differed by 6 %, so gains below 1.1× mean nothing. ' +
      'Variations of every family ran on both sides with equal results; memcheck, racecheck and synccheck report ' +
      'nothing except four warnings for one sum in shared memory, where nvcc reads one element ' +
      'past the end of a loop. ' +
      'The figures are in h200-fixes.json.',
    '',
    '| sample | rule | change | before (ms) | after (ms) | gain |',
    '|---|---|---|--:|--:|--:|',
    ...fixes.map((fix) => {
      const rule = fix.rule ? `[${fix.rule}](../rules/${fix.rule}.md)` : '';
      const remarks = [fix.note, fix.results === 'equal' ? undefined : fix.results].filter(Boolean).join('; ');
      const change = `${fix.change}${remarks && ` (${remarks})`}`;
      return `| ${fix.sample} | ${rule} | ${change} | ${fix.before} | ${fix.after} | ${gainOf(fix)} |`;
    }),
    '',
  ].join('\n');
}

void main();
