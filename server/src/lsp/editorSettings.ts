// Settings as an editor sends them, checked: what is wrong is left at its default and named in one sentence.
import { isAbsolute, resolve } from 'node:path';
import {
  defaultEditorSettings,
  settingDefinitions,
  type EditorSettings,
  type GivenResources,
  type RuleSettingInput,
} from '../../../protocol/src/settings';
import { nearest } from '../syntax/nearest';
import { readRuleSettings } from '../lint/settings';
import { registry } from '../rules/registry';
import { gpuByName } from '../semantic/gpus';
import { unknownGpu } from '../workspace/gpuNames';

/** What is wrong with a setting, in one sentence. */
export interface Complaint {
  /** The key below `warplens.`. */
  readonly setting: string;
  readonly text: string;
  /** The setting is used as it is. */
  readonly isUsed?: true;
}

type FlagName = { [K in keyof EditorSettings]: EditorSettings[K] extends boolean ? K : never }[keyof EditorSettings];

/** `input` is the section `warplens`. Never throws. */
export function readEditorSettings(input: unknown): {
  readonly settings: EditorSettings;
  readonly complaints: readonly Complaint[];
} {
  const complaints: Complaint[] = [];
  const complain = (setting: string, text: string): void => {
    complaints.push({ setting, text });
  };
  const given = isObject(input) ? input : {};
  if (input !== undefined && input !== null && !isObject(input))
    complain('', '"warplens" is not an object with settings.');
  const known = new Set([...Object.keys(settingDefinitions).map((key) => key.split('.')[0]!), 'rules', 'trace']);
  for (const key of Object.keys(given)) {
    // Settings of the profiling half of the extension and of other tools are in the same section.
    const near = known.has(key) ? undefined : nearest(key, [...known]);
    if (near !== undefined) complain(key, `There is no setting "warplens.${key}" (did you mean "warplens.${near}"?).`);
  }
  const defaults = defaultEditorSettings;
  const take = <K extends keyof EditorSettings>(
    field: K,
    accepts: (value: unknown) => value is EditorSettings[K],
    wants: string,
    key: string = field,
  ): EditorSettings[K] => {
    const value = key
      .split('.')
      .reduce<unknown>((inside, part) => (isObject(inside) ? inside[part] : undefined), given);
    if (value === undefined || value === null) return defaults[field];
    if (accepts(value)) return value;
    complain(key, `Invalid warplens.${key} ${excerpt(value)}: use ${wants}.`);
    return defaults[field];
  };
  const flag = (field: FlagName, key?: string): boolean => take(field, isBoolean, 'true or false', key);
  const gpu = take('gpu', isString, 'the name of a GPU');
  const gpuKnown = gpu === 'auto' || gpu === '' || gpuByName(gpu) !== undefined;
  if (!gpuKnown) complain('gpu', `warplens.gpu: ${unknownGpu(gpu)}`);
  const { minimum: least, maximum: most } = settingDefinitions['debounce']!;
  const isDelay = (value: unknown): value is number => typeof value === 'number' && value >= least! && value <= most!;
  const byRule = flattened(given['rules']);
  for (const sentence of readRuleSettings(byRule, registry).complaints)
    complain('rules', `warplens.rules: ${sentence}`);
  return {
    settings: {
      gpu: gpuKnown && gpu !== '' ? gpu : defaults.gpu,
      defines: take('defines', isDefines, 'an object with macro names and texts, such as { "BLOCK": "256" }'),
      includeDirs: take('includeDirs', isStrings, 'a list of folders', 'includeFolders'),
      useCompileCommands: flag('useCompileCommands'),
      quietPaths: take('quietPaths', isStrings, 'a list of names'),
      rules: isObject(byRule) ? (byRule as Record<string, RuleSettingInput>) : {},
      inlayHints: flag('inlayHints'),
      compilerHints: flag('compilerHints', 'compilerFeedback.inlayHints'),
      codeLens: flag('codeLens'),
      debounce: take('debounce', isDelay, `milliseconds from ${least} to ${most}`),
      indexWorkspace: flag('indexWorkspace'),
      kernelResources: take(
        'kernelResources',
        isKernelResources,
        'an object with kernels, such as { "saxpy": { "registers": 32, "sharedBytes": 4096 } }',
      ),
      show: take('show', isShow, '"all" or "changed"'),
      timings: flag('timings', 'trace.timings'),
    },
    complaints,
  };
}

/** One message for everything that was wrong; undefined when nothing was. */
export function complaintMessage(complaints: readonly Complaint[]): string | undefined {
  if (complaints.length === 0) return undefined;
  const sentences = [...new Set(complaints.map(({ text }) => text))];
  const shown = sentences.slice(0, 3).join(' ');
  const more = sentences.length > 3 ? ` (and ${sentences.length - 3} more)` : '';
  const instead = complaints.every(({ isUsed }) => isUsed) ? '' : ' The defaults are used until you correct them.';
  return `${shown}${more}${instead}`;
}

/** Include folders that are not there. A relative path needs the workspace folder `root`. */
export function missingFolders(
  { includeDirs }: EditorSettings,
  root: string | undefined,
  exists: (path: string) => boolean,
): readonly Complaint[] {
  return includeDirs
    .filter((each) => (root !== undefined || isAbsolute(each)) && !exists(resolve(root ?? '', each)))
    .map((each) => ({
      setting: 'includeFolders',
      text: `warplens.includeFolders: the folder "${each}" was not found${isAbsolute(each) ? '' : ` in ${root}`}.`,
      isUsed: true,
    }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isShow(value: unknown): value is EditorSettings['show'] {
  return value === 'all' || value === 'changed';
}
function isString(value: unknown): value is string {
  return typeof value === 'string';
}
function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}
function isKernelResources(value: unknown): value is Readonly<Record<string, GivenResources>> {
  const isAmount = (amount: unknown): boolean =>
    typeof amount === 'number' && Number.isInteger(amount) && amount >= 0 && amount <= 1_000_000;
  return (
    isObject(value) &&
    Object.values(value).every(
      (each) =>
        isObject(each) &&
        isAmount(each['registers']) &&
        (each['sharedBytes'] === undefined || isAmount(each['sharedBytes'])),
    )
  );
}
function isDefines(value: unknown): value is Readonly<Record<string, string>> {
  return (
    isObject(value) &&
    Object.entries(value).every(([name, text]) => /^[A-Za-z_]\w*$/.test(name) && typeof text === 'string')
  );
}

/**
 * `{ cuda: { "bank-conflict": "off" } }`, as editors with nested sections write it, is the same as
 * `{ "cuda/bank-conflict": "off" }`.
 */
function flattened(rules: unknown): unknown {
  if (!isObject(rules)) return rules;
  const families = new Set(registry.map((rule) => rule.meta.id.split('/')[0]!));
  return Object.fromEntries(
    Object.entries(rules).flatMap(([key, value]) =>
      families.has(key) && isObject(value)
        ? Object.entries(value).map(([name, setting]) => [`${key}/${name}`, setting] as const)
        : [[key, value] as const],
    ),
  );
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
