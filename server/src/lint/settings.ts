// What a user may say about each rule, checked: off, a severity, options.
import type { RuleMeta, Severity } from '../rules/rule';
import { isSeverity } from './finding';
import { nearest } from '../syntax/nearest';

export interface RuleSetting {
  readonly off: boolean;
  /** Overrides every severity of the rule. */
  readonly severity?: Severity | undefined;
  readonly options: Readonly<Record<string, number | boolean | string>>;
}

/**
 * Settings by rule id, and one sentence for each entry that was not understood (that entry is then left out). Never
 * throws.
 */
export function readRuleSettings(
  input: unknown,
  rules: readonly { readonly meta: RuleMeta }[],
): { readonly settings: ReadonlyMap<string, RuleSetting>; readonly complaints: readonly string[] } {
  const settings = new Map<string, RuleSetting>();
  const complaints: string[] = [];
  if (input === undefined || input === null) return { settings, complaints };
  if (typeof input !== 'object' || Array.isArray(input))
    return { settings, complaints: ['The rule settings are no object; write {"cuda/bank-conflict": "off"}.'] };
  const ids = rules.map((rule) => rule.meta.id);
  for (const [id, value] of Object.entries(input as Record<string, unknown>)) {
    const rule = rules.find((candidate) => candidate.meta.id === id);
    if (!rule) {
      complaints.push(unknownRule(id, ids));
      continue;
    }
    const hasOptions = typeof value === 'object' && value !== null && !Array.isArray(value);
    const { severity, ...rest } = (hasOptions ? value : { severity: value }) as Record<string, unknown>;
    let off = false;
    let level: Severity | undefined;
    if (severity === 'off') off = true;
    else if (typeof severity === 'string' && isSeverity(severity)) level = severity;
    else if (severity !== undefined && severity !== 'default')
      complaints.push(
        `${id}: "${String(severity)}" is not a severity; use off, hint, information, warning, error or default.`,
      );
    const options: Record<string, number | boolean | string> = {};
    for (const [name, optionValue] of Object.entries(rest)) {
      const option = rule.meta.options?.[name];
      if (!option)
        complaints.push(`${id} has no option "${name}"${suggestion(name, Object.keys(rule.meta.options ?? {}))}.`);
      else if (typeof optionValue !== option.type)
        complaints.push(`${id}: option "${name}" wants a ${option.type}, got ${JSON.stringify(optionValue)}.`);
      else options[name] = optionValue as number | boolean | string;
    }
    settings.set(id, { off, severity: level, options });
  }
  return { settings, complaints };
}

/** The sentence for an id that no rule has. */
export function unknownRule(id: string, ids: readonly string[]): string {
  return `There is no rule "${id}"${suggestion(id, ids)}.`;
}

/** ` (did you mean "bank-conflict"?)`, or nothing. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

/** The options a rule runs with: its defaults, overridden. */
export function optionsOf(
  meta: RuleMeta,
  setting: RuleSetting | undefined,
): Readonly<Record<string, number | boolean | string>> {
  const options: Record<string, number | boolean | string> = {};
  for (const [name, option] of Object.entries(meta.options ?? {})) options[name] = option.default;
  return Object.assign(options, setting?.options);
}
