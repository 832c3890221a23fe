// The wording of figures and assumptions that all rules share.
import type { Assumption, RuntimeCallFact } from '../semantic/model';
import { excerpt } from '../semantic/excerpt';
import type { Severity } from './rule';

export { excerpt, titleWith } from '../semantic/excerpt';

/** At most one decimal, none where the figure is whole or large: `2`, `2.3`, `107`. */
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

/** The condition under which a figure holds. */
export function assumptionText(assumption: Assumption): string {
  switch (assumption.kind) {
    case 'block': {
      const extents = assumption.block.filter((extent, at) => at === 0 || extent > 1).join(' × ');
      return `a block of ${extents} threads${assumption.origin === 'guessed' ? '' : ', computed at run time'}`;
    }
    case 'stride': {
      const from = assumption.from === undefined ? 'is large' : `≥ ${assumption.from}`;
      const otherwise = assumption.rows ? '' : ` (${ratioText(assumption.otherwise)} if it is 1)`;
      // Without a name it is not code.
      const name = assumption.name.startsWith('a ') ? assumption.name : `\`${excerpt(assumption.name, 40)}\``;
      return `${name} ${from}${otherwise}`;
    }
    case 'alignment':
      return 'rows aligned to 32 bytes';
    case 'unsettled':
      return 'an index of unknown value';
    case 'iterations':
      return assumption.first === 1 ? 'the first iteration' : `the first ${assumption.first} iterations`;
    case 'reached':
      return 'the branch is taken';
    case 'by-data':
      return 'all lanes active (data-dependent)';
    case 'type-size':
      return `${assumption.type} has ${assumption.bytes} bytes`;
    case 'loaded-index':
      return 'an index loaded from memory';
  }
}

/** `, assuming a and b`, or nothing, to follow a figure. */
export function assuming(assumed: readonly Assumption[]): string {
  const texts = [...new Set(assumed.map(assumptionText))];
  if (texts.length === 0) return '';
  const last = texts.at(-1)!;
  return `, assuming ${texts.length === 1 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`}`;
}

/**
 * How grave it is that the host waits or allocates in each iteration of a loop: a warning where the loop does nothing
 * but steps of one computation; beside a size, a measurement or a separate file it is not noticed.
 */
export function severityIn(iteration: RuntimeCallFact['iteration']): { readonly severity?: Severity } {
  if (iteration === 'case') return { severity: 'hint' };
  return iteration === 'unclear' ? { severity: 'information' } : {};
}

/**
 * Does a figure depend on something that harmless code may well have: a stride of 1, a block of another shape, a
 * narrower type?
 */
export function isOpen(assumed: readonly Assumption[]): boolean {
  return assumed.some(
    (one) =>
      (one.kind === 'stride' && !one.rows) ||
      one.kind === 'unsettled' ||
      one.kind === 'type-size' ||
      one.kind === 'loaded-index' ||
      (one.kind === 'block' && one.origin === 'guessed'),
  );
}

/**
 * Whether a kernel is one that prepares by its name: `setup_jet`, `initState`, `seedGenerators`, `collect_pointers_2d`.
 */
export function isSetUpName(kernel: string): boolean {
  return (
    /(?:^|[_a-z])(?:setup|set_up|init|seed|(?:set|fill|displace)_?(?:ptr|pointer))/i.test(kernel) ||
    /(?:^|_)(?:pointers|ptrs)(?:_|\d|$)/i.test(kernel)
  );
}

/** A fix's title with the gain before its price: `One warp per row: 8.0× → 1.0× sectors (changes rounding)`. */
export function withGain(title: string, gain: string): string {
  return title.replace(/(?= \([^()]*\)$)|$/, gain);
}
