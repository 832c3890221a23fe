// warplens.json: the settings of a project beside its sources, read and checked.
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { RuleSettingInput } from '../../../protocol/src/settings';
import { readRuleSettings, type RuleSetting, suggestion } from '../lint/settings';
import { registry } from '../rules/registry';
import { gpuByName } from '../semantic/gpus';
import { lineTable } from '../syntax/lines';
import { unknownGpu } from './gpuNames';
import { readIfThere, type FileSystem } from './fileSystem';
import { createKept, type Observer } from './observedFiles';

export const configurationName = 'warplens.json';

/** What a project file sets. What it does not set, and what is wrong in it, is absent. */
export interface Configuration {
  readonly path: string;
  readonly gpu?: string;
  readonly defines: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly includeDirs: readonly string[];
  /** Severity and options by rule, as in the settings of an editor. */
  readonly rules: Readonly<Record<string, RuleSettingInput>>;
  /** Absent where the file has no `quiet`. */
  readonly isQuiet?: (path: string) => boolean;
  isExcluded(path: string): boolean;
  /** `warplens check` exits with 1 where something could not be read. */
  readonly failOnUnread: boolean;
  /** What is wrong with the file, a sentence each with its line; the rest of the file holds. */
  readonly complaints: readonly string[];
}

const mostFolders = 64;

export function createConfigurationFiles(fileSystem: FileSystem, observer: Observer) {
  const byFolder = createKept<Configuration | undefined>(observer);
  /** Files by path, so that folders share what was read. */
  const parsed = new Map<string, { readonly text: string; readonly value: Configuration }>();

  function find(folder: string): Configuration | undefined {
    for (let left = mostFolders; left > 0; left--) {
      const path = join(folder, configurationName);
      const read = readIfThere(fileSystem, path);
      if (read) {
        let known = parsed.get(path);
        if (known?.text !== read.text) {
          known = { text: read.text, value: readConfiguration(path, read.text) };
          parsed.set(path, known);
        }
        for (const complaint of known.value.complaints) observer.say(complaint);
        return known.value;
      }
      const above = dirname(folder);
      if (above === folder || isRepository(folder)) return undefined;
      folder = above;
    }
    return undefined;
  }

  /** Asked by names: a list of a folder is another with each file that comes. In a linked worktree `.git` is a file. */
  function isRepository(folder: string): boolean {
    return [join(folder, '.git', 'HEAD'), join(folder, '.git')].some((path) => fileSystem.version(path) !== undefined);
  }

  return {
    /** The file that holds for a path: the nearest in its folders, up to the root of the repository. */
    of: (path: string): Configuration | undefined => byFolder.of(dirname(path), () => find(dirname(path))),
    /** Files may have changed. */
    changed: (): void => byFolder.clear(),
  };
}

const keys = '$schema severities options gpu defines includeFolders exclude quiet failOnUnread'.split(' ');

/** Never throws. `path` is absolute. */
export function readConfiguration(path: string, contents: string): Configuration {
  const complaints: { readonly offset: number; readonly text: string }[] = [];
  const table = lineTable(contents);
  const folder = dirname(path);
  const complain = (offset: number, sentence: string): void => {
    complaints.push({ offset, text: `${path}:${table.positionAt(offset).line + 1}: ${sentence}` });
  };
  const errors: ParseError[] = [];
  const source = contents.startsWith('\ufeff') ? ` ${contents.slice(1)}` : contents;
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    complain(
      error.offset,
      `The JSON is invalid (${wordsOf(printParseErrorCode(error.error))}). Correct it; what follows may not be read.`,
    );
  const found = membersOf(tree);
  if (!error && !found) complain(tree?.offset ?? 0, 'An object is expected: { "severities": { … } }.');
  const members = new Map<string, Node>();
  for (const { key, node, offset } of found ?? []) {
    if (keys.includes(key)) members.set(key, node);
    else
      complain(
        offset,
        `There is no key "${key}"${suggestion(key, keys)}. Remove it, or use ${keys.slice(1).join(', ')}.`,
      );
  }

  function strings(key: string, wants: string): readonly string[] | undefined {
    const node = members.get(key);
    if (!node) return undefined;
    if (node.type === 'array' && (node.children ?? []).every(({ type }) => type === 'string'))
      return (node.children ?? []).map(({ value }) => value as string);
    complain(
      node.offset,
      `"${key}" must be a list of ${wants}, such as ["${key === 'includeFolders' ? 'include' : 'third_party/**'}"].`,
    );
    return undefined;
  }

  function gpuOf(): string | undefined {
    const node = members.get('gpu');
    if (!node) return undefined;
    if (node.type !== 'string') complain(node.offset, '"gpu" must be the name of a GPU, such as "H100".');
    else if (node.value !== 'auto' && !gpuByName(node.value as string))
      complain(node.offset, unknownGpu(node.value as string));
    else return node.value as string;
    return undefined;
  }

  function failOnUnreadOf(): boolean {
    const node = members.get('failOnUnread');
    if (node && node.type !== 'boolean') complain(node.offset, '"failOnUnread" must be true or false.');
    return node?.value === true;
  }

  function definesOf(): Record<string, string> {
    const node = members.get('defines');
    const defines: Record<string, string> = {};
    const given = node && membersOf(node);
    if (node && !given) complain(node.offset, '"defines" must be an object, such as { "BLOCK": "256" }.');
    for (const { key, node: value, offset } of given ?? [])
      if (!/^[A-Za-z_]\w*$/.test(key)) complain(offset, `"${key}" is not a valid macro name.`);
      else if (value.type !== 'string')
        complain(value.offset, `The value of "${key}" must be a string, such as "256".`);
      else defines[key] = value.value as string;
    return defines;
  }

  function rulesOf(): Record<string, RuleSettingInput> {
    const rules: Record<string, Record<string, unknown>> = {};
    const check = (id: string, input: Record<string, unknown>, offset: number): void => {
      const wrong = readRuleSettings({ [id]: input }, registry).complaints;
      for (const sentence of wrong) complain(offset, sentence);
      if (wrong.length === 0) rules[id] = { ...rules[id], ...input };
    };
    for (const key of ['severities', 'options']) {
      const node = members.get(key);
      const given = node && membersOf(node);
      if (node && !given) complain(node.offset, `"${key}" must be an object with rules as keys.`);
      for (const { key: id, node: value, offset } of given ?? []) {
        if (key === 'severities') check(id, { severity: plainOf(value) }, offset);
        else {
          const options = membersOf(value);
          if (!options) complain(value.offset, `The options of "${id}" must be an object.`);
          for (const each of options ?? [])
            if (each.key === 'severity') complain(each.offset, `Put the severity of "${id}" into "severities".`);
            else check(id, { [each.key]: plainOf(each.node) }, each.offset);
        }
      }
    }
    return rules as Record<string, RuleSettingInput>;
  }

  const gpu = gpuOf();
  const quiet = strings('quiet', 'patterns');
  const matchesQuiet = quiet && matcherOf(folder, quiet, true);
  const read = {
    path,
    ...(gpu === undefined ? {} : { gpu }),
    defines: definesOf(),
    includeDirs: (strings('includeFolders', 'folders') ?? []).map((each) => resolve(folder, each)),
    rules: rulesOf(),
    ...(matchesQuiet ? { isQuiet: matchesQuiet } : {}),
    isExcluded: matcherOf(folder, strings('exclude', 'patterns') ?? [], false),
    failOnUnread: failOnUnreadOf(),
  };
  return { ...read, complaints: complaints.sort((a, b) => a.offset - b.offset).map(({ text }) => text) };
}

/** Patterns as in .gitignore, relative to a folder. A file below an excluded folder is excluded. */
export function matcherOf(folder: string, patterns: readonly string[], ignorecase: boolean): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  const rules: Ignore = ignore({ ignorecase }).add([...patterns]);
  return (path) => {
    const inner = relative(folder, path).split(sep).join('/');
    return ignore.isPathValid(inner) && rules.ignores(inner);
  };
}

/** Settings by rule: those of the project file, overridden by what was chosen elsewhere. */
export function mergedRules(
  configuration: Configuration | undefined,
  chosen: Readonly<Record<string, RuleSettingInput>>,
): ReadonlyMap<string, RuleSetting> {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const layer of [configuration?.rules ?? {}, chosen])
    for (const [id, input] of Object.entries(layer))
      merged[id] = { ...merged[id], ...(typeof input === 'object' ? input : { severity: input }) };
  return readRuleSettings(merged, registry).settings;
}

interface Member {
  readonly key: string;
  readonly node: Node;
  readonly offset: number;
}

/** The members of an object; undefined for another value. One without a value is left out. */
function membersOf(node: Node | undefined): readonly Member[] | undefined {
  if (node?.type !== 'object') return undefined;
  return (node.children ?? []).flatMap(({ children, offset }) => {
    const [key, value] = children ?? [];
    return key && value ? [{ key: key.value as string, node: value, offset }] : [];
  });
}

function plainOf(node: Node): unknown {
  return node.type === 'object' || node.type === 'array' ? {} : node.value;
}

/** `CommaExpected` as "comma expected". */
function wordsOf(code: string): string {
  return code.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}
