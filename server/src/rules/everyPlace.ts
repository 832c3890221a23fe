// One fix for all places of a function where it is the same edit: a change of half of them is left half reviewed.
import type { Fix } from './rule';
import { longestTitle } from './wording';

interface Fixed {
  readonly rule: string;
  readonly within?: string;
  readonly fact: { readonly function?: string } | object;
  readonly fixes: readonly Fix[];
}

/**
 * The findings, each fix with the edits of its like: fixes of one rule and function that replace equal texts by equal
 * texts under one title. A removal stays single: the reason for it may be the like that stays.
 */
export function atEveryPlace<F extends Fixed>(findings: readonly F[], uri: string, text: string): F[] {
  const groups = new Map<string, Fix[]>();
  const keyOf = ({ rule, fact, ...finding }: F, { title, edits }: Fix): string | undefined => {
    const within = finding.within ?? ('function' in fact ? fact.function : undefined);
    if (within === undefined || edits.some(({ at, newText }) => at.uri !== uri || newText === '')) return undefined;
    const pairs = edits.map(({ at, newText }) => [text.slice(at.start, at.end), newText]);
    return JSON.stringify([rule, within, title, pairs]);
  };
  for (const finding of findings)
    for (const fix of finding.fixes) {
      const key = keyOf(finding, fix);
      if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), fix]);
    }
  return findings.map((finding) => ({
    ...finding,
    fixes: finding.fixes.map((fix) => together(fix, groups.get(keyOf(finding, fix) ?? '') ?? [])),
  }));
}

function together(fix: Fix, alike: readonly Fix[]): Fix {
  const startOf = ({ edits }: Fix): number => Math.min(...edits.map(({ at }) => at.start));
  const places = [...new Map(alike.map((one) => [startOf(one), one])).values()];
  const title = fix.title.replace(/(?= \([^()]*\)$)|$/, ` at ${places.length} places`);
  if (places.length < 2 || title.length > longestTitle) return fix;
  return { ...fix, title, edits: places.flatMap(({ edits }) => edits) };
}
