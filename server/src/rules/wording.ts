// How figures and assumptions are put into words, so that every rule says them alike.
import type { Assumption } from '../semantic/model';

/** A figure as people write it: at most one decimal, none where it is whole or large. `2`, `2.3`, `107`. */
export function figure(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return String(rounded);
}

/** A ratio with its sign and always one decimal, as Nsight Compute prints it: `8.0×`. */
export function ratioText(value: number): string {
  return `${value.toFixed(1)}×`;
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

/** What a figure rests on, as a short fact. */
export function assumptionText(assumption: Assumption): string {
  switch (assumption.kind) {
    case 'block': {
      const extents = assumption.block.filter((extent, at) => at === 0 || extent > 1).join(' × ');
      return `a block of ${extents} threads${assumption.origin === 'guessed' ? '' : ', computed at run time'}`;
    }
    case 'stride': {
      const from = assumption.from === undefined ? 'is large' : `≥ ${assumption.from}`;
      const otherwise = assumption.rows ? '' : ` (${ratioText(assumption.otherwise)} if it is 1)`;
      // What has no name of its own is no code.
      const name = assumption.name.startsWith('a ') ? assumption.name : `\`${excerpt(assumption.name, 40)}\``;
      return `${name} ${from}${otherwise}`;
    }
    case 'alignment':
      return 'rows start at multiples of 32 bytes';
    case 'unsettled':
      return 'an index that is not followed';
    case 'iterations':
      return assumption.first === 1 ? 'the first iteration' : `the first ${assumption.first} iterations`;
    case 'reached':
      return 'threads reach it';
    case 'by-data':
      return 'every lane comes here, which data decide';
    case 'type-size':
      return `${assumption.type} has ${assumption.bytes} bytes`;
    case 'loaded-index':
      return 'an index that was loaded';
  }
}

/** `, assuming a and b`, or nothing. Ready to stand behind a figure. */
export function assuming(assumed: readonly Assumption[]): string {
  const texts = [...new Set(assumed.map(assumptionText))];
  if (texts.length === 0) return '';
  const last = texts.at(-1)!;
  return `, assuming ${texts.length === 1 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`}`;
}

/** Source text shortened to fit into a message: runs of white space become one space, the middle of a long text an ellipsis. */
export function excerpt(text: string, longest = 60): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 16).trimEnd()} … ${line.slice(-12).trimStart()}`;
}
