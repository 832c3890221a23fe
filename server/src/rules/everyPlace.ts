// One fix for all places where it is the same edit: a change of half of them is left half reviewed.
import type { Fix } from './rule';
import { longestTitle } from './wording';

interface Fixed {
  readonly rule: string;
  readonly within?: string;
  readonly fact: { readonly function?: string } | object;
  readonly fixes: readonly Fix[];
}

/**
 * The findings, each fix with the edits of its like: fixes of one rule and function, or file where the fix says so,
 * that replace equal texts by equal texts under one title; or that say that they are alike, here or in the file, and
 * do not overlap. A removal stays single: the reason for it may be the like that stays. All do in a part of a file.
 */
export function atEveryPlace<F extends Fixed>(findings: readonly F[], uri: string, text: string, isWhole = true): F[] {
  const equal = ({ rule }: F, { title, edits }: Fix, within: string): string | undefined => {
    if (edits.some(({ newText }) => newText === '')) return undefined;
    const pairs = edits.flatMap(({ at, newText }) => [text.slice(at.start, at.end), newText]);
    return [rule, within, title, ...pairs].join('\0');
  };
  const isHere = ({ edits }: Fix): boolean => isWhole && edits.every(({ at }) => at.uri === uri);
  const inFunctions = gathered(findings, (finding, fix) => {
    const { fact } = finding;
    const within = fix.alike?.inFile ? '' : (finding.within ?? ('function' in fact ? fact.function : undefined));
    if (within === undefined || !isHere(fix)) return undefined;
    if (fix.alike) return JSON.stringify([finding.rule, within, fix.alike.precondition]);
    return fix.inFile ? undefined : equal(finding, fix, within);
  });
  return gathered(inFunctions, (finding, fix) => (fix.inFile && isHere(fix) ? equal(finding, fix, '') : undefined));
}

function gathered<F extends Fixed>(findings: readonly F[], keyOf: (finding: F, fix: Fix) => string | undefined): F[] {
  const groups = new Map<string, Fix[]>();
  const keys = new Map<Fix, string>();
  for (const finding of findings)
    for (const fix of finding.fixes) {
      const key = keyOf(finding, fix);
      if (key === undefined) continue;
      keys.set(fix, key);
      if (!groups.get(key)?.push(fix)) groups.set(key, [fix]);
    }
  const places = new Map([...groups].map(([key, fixes]) => [key, placesOf(fixes)]));
  // What findings share they go on to share.
  const known = new Map<Fix['edits'], Fix['edits']>();
  const joinedOnce = (edits: Fix['edits']): Fix['edits'] => {
    const made = known.get(edits) ?? joined(edits);
    known.set(edits, made);
    return made;
  };
  return findings.map((finding) => ({
    ...finding,
    fixes: finding.fixes.map((fix) => {
      const several = places.get(keys.get(fix) ?? '');
      const { alike: _, ...single } = fix;
      return (several && together(fix, several)) ?? { ...single, edits: joinedOnce(fix.edits) };
    }),
  }));
}

/** How many places fixes change, and their edits together, one array for all of them; undefined where they overlap. */
interface Places {
  readonly count: number;
  readonly edits: Fix['edits'] | undefined;
}

function placesOf(fixes: readonly Fix[]): Places {
  const places = distinct(fixes, ({ edits }) => edits.map(nameOf).join(' '));
  const edits = joined(places.flatMap((one) => one.edits));
  return { count: places.length, edits: overlap(edits) ? undefined : edits };
}

function together({ alike, ...fix }: Fix, { count, edits }: Places): Fix | undefined {
  if (!edits || count < 2) return undefined;
  const several = alike?.title.replace('{count}', String(count));
  const title = several ?? fix.title.replace(/(?= \([^()]*\)$)|$/, ` at ${count} places`);
  if (title.length > longestTitle) return undefined;
  const { inFile: _, ...made } = fix;
  return { ...made, title, edits };
}

/** Equal edits once, and all that is written at one place in one edit. */
function joined(all: Fix['edits']): Fix['edits'] {
  if (all.length < 2) return all;
  const edits = new Map<string, Fix['edits'][number]>();
  for (const edit of distinct(all, nameOf)) {
    const { at, newText } = edit;
    const place = at.start === at.end ? `${at.uri} ${at.start}` : nameOf(edit);
    const twin = edits.get(place);
    edits.set(place, twin ? { at, newText: twin.newText + newText } : edit);
  }
  return [...edits.values()];
}

function nameOf({ at, newText }: Fix['edits'][number]): string {
  return `${at.uri} ${at.start} ${at.end} ${newText.length} ${newText}`;
}

function distinct<T>(all: readonly T[], of: (one: T) => string): T[] {
  return [...new Map(all.map((one) => [of(one), one])).values()];
}

function overlap(edits: Fix['edits']): boolean {
  const sorted = [...edits].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  return sorted.some(({ at }, place) => place > 0 && at.start < sorted[place - 1]!.at.end);
}
