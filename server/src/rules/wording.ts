// The wording of figures and assumptions that all rules share.
import type { AccessFact, Assumption } from '../semantic/model';
import type { Interval } from '../semantic/figures';
import { excerpt, longestTitle } from '../semantic/excerpt';
import type { Fix } from './rule';

export { excerpt, listExcerpt, longestTitle, titleWith } from '../semantic/excerpt';

/** At most one decimal, none where the figure is whole or large: `2`, `2.3`, `107`. */
export function figure(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return String(rounded);
}

/** A ratio with its sign and always one decimal, as Nsight Compute prints it: `8.0×`. */
export function ratioText(value: number): string {
  return `${value.toFixed(1)}×`;
}

/** `4`, or `4–32` where the ends differ. */
export function rangeText([least, most]: Interval, text: (value: number) => string = figure): string {
  return text(least) === text(most) ? text(most) : `${text(least)}–${text(most)}`;
}

/** `8.0×`, or `1–8×` where it may be any of these. */
export function ratioRangeText(range: Interval): string {
  return figure(range[0]) === figure(range[1]) ? ratioText(range[1]) : `${rangeText(range)}×`;
}

/**
 * How far an access is off its ideal: `8.0× sectors`; `1–8× sectors` where the code leaves it open; `≈ 8.0× sectors`
 * under an assumption that leaves one figure. Undefined where it is at its ideal, or nothing is known of it.
 */
export function offIdealText(
  { space, assumed }: Pick<AccessFact, 'space' | 'assumed'>,
  range: Interval | undefined,
): string | undefined {
  if (!range || range[1] <= 1 || ratioText(range[1]) === ratioText(1)) return undefined;
  const text = `${ratioRangeText(range)} ${space === 'shared' ? 'wavefronts' : 'sectors'}`;
  return assumed.length > 0 && !text.includes('–') ? `≈ ${text}` : text;
}

/** `gain 1.2–8.0×, expected 2.1×`: time of the kernel now over its time without the waste. */
export function gainText([least, most]: Interval, expected: number | undefined): string {
  if (ratioText(least) === ratioText(most)) return `gain ${ratioText(most)}`;
  const range = Number.isFinite(most) ? `${least.toFixed(1)}–${ratioText(most)}` : `at least ${ratioText(least)}`;
  return `gain ${range}${expected === undefined ? '' : `, expected ${ratioText(expected)}`}`;
}

/** `1 byte`, `12 bytes`. */
export function counted(value: number, unit: string, units = `${unit}s`): string {
  return `${figure(value)} ${value === 1 ? unit : units}`;
}

/** `512 bytes`, `64.0 KiB`, `8.0 MiB`. */
export function bytesText(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (bytes < 1024) return counted(bytes, 'byte');
  const at = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** at).toFixed(1)} ${units[at - 1]}`;
}

/** The condition under which a figure holds. */
export function assumptionText(assumption: Assumption): string {
  switch (assumption.kind) {
    case 'block': {
      const extents = assumption.block.filter((extent, at) => at === 0 || extent > 1).join(' × ');
      return `a block of ${extents} threads${assumption.origin === 'guessed' ? '' : ', computed at run time'}`;
    }
    case 'stride':
      return `${strideName(assumption)} ${assumption.from === undefined ? 'is large' : `≥ ${assumption.from}`}`;
    case 'contiguous':
      return `\`${excerpt(assumption.name, 40)}\` contiguous along its last dimension`;
    case 'alignment':
      return 'rows aligned to 32 bytes';
    case 'unsettled':
      return 'an index of unknown value';
    case 'iterations':
      return assumption.first === 1 ? 'the first iteration' : `the first ${assumption.first} iterations`;
    case 'size':
      return `\`${excerpt(assumption.name, 40)}\` = ${assumption.number}`;
    case 'launches':
      return 'the launch';
    case 'reached':
      return 'the branch is taken';
    case 'by-data':
      return 'which lanes are active (data-dependent)';
    case 'type-size':
      return `${assumption.type} has ${assumption.bytes} bytes`;
    case 'type':
      return `${assumption.name} is ${assumption.type}`;
    case 'loaded-index':
      return 'an index loaded from memory';
  }
}

function strideName({ name }: Extract<Assumption, { kind: 'stride' }>): string {
  return name === '?' ? 'an unknown factor' : `\`${excerpt(name, 40)}\``;
}

/**
 * Under which conditions a figure, or the most of an interval, holds: `the most from \`n\` = 8 on`, `depending on an
 * index of unknown value`, `assuming a and b`. Rows that a kernel walks along are as long as its data: their length is
 * assumed.
 */
export function conditions(assumed: readonly Assumption[]): string[] {
  const most = new Set<string>();
  const texts = new Set<string>();
  for (const one of assumed)
    if (one.kind === 'unsettled' || one.kind === 'loaded-index' || one.kind === 'by-data' || one.kind === 'launches')
      most.add(`depending on ${assumptionText(one)}`);
    else if (one.kind !== 'stride' || one.rows || one.long) texts.add(assumptionText(one));
    else if (one.multiples) most.add(`the most where ${strideName(one)} is a multiple of ${one.from ?? 32}`);
    else if (one.from === undefined) most.add(`the most where ${strideName(one)} is large`);
    else most.add(`the most from ${strideName(one)} = ${one.from} on`);
  const others = [...texts];
  const last = others.pop();
  const list = others.length > 0 ? `${others.join(', ')} and ${last}` : last;
  return [...most, ...(list === undefined ? [] : [`assuming ${list}`])];
}

/** The same to follow a figure: `, assuming a and b`, or nothing. */
export function assuming(assumed: readonly Assumption[]): string {
  return conditions(assumed)
    .map((text) => `, ${text}`)
    .join('');
}

/** A ratio of the model in a fix's title. */
const modelGain = /: [\d.]+× → [\d.]+× [a-z ]+(?= \([^()]*\)$|$)/;

/** A fix's title with the time that is expected in place of the model's ratio, where a menu has room for it. */
export function withExpected(title: string, expected: string): string {
  const said = withGain(title.replace(modelGain, ''), `: ${expected}`);
  return said.length <= longestTitle ? said : title;
}

/** A fix's title with the gain before its price: `One warp per row: 8.0× → 1.0× sectors (changes rounding)`. */
export function withGain(title: string, gain: string): string {
  return title.replace(/(?= \([^()]*\)$)|$/, gain);
}

/** The fix that a fact has as the fixes of a finding: as safe as the fact says, or as all fixes of the rule are. */
export function fixesOf(
  fix: (Pick<Fix, 'title' | 'edits'> & { readonly safe?: boolean }) | undefined,
  applicability: Fix['applicability'] = fix?.safe ? 'safe' : 'unsafe',
): Fix[] {
  return fix ? [{ title: fix.title, applicability, edits: fix.edits }] : [];
}
