// How figures and assumptions are put into words, so that every rule says them alike.

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

/** `, assuming a and b`, or nothing. Ready to stand behind a figure. */
export function assuming(assumed: readonly string[]): string {
  if (assumed.length === 0) return '';
  return `, assuming ${assumed.length === 1 ? assumed[0]! : `${assumed.slice(0, -1).join(', ')} and ${assumed.at(-1)!}`}`;
}

/** Source text shortened to fit into a message: runs of white space become one space, the middle of a long text an ellipsis. */
export function excerpt(text: string, longest = 60): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 16).trimEnd()} … ${line.slice(-12).trimStart()}`;
}
