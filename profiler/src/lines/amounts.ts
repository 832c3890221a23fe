// Numbers in the words of the editor: shares, amounts and times.

/** `55.2%` */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `2.40 T`, `1.07 G`, `16.8 M`, `470.5 k`, `42`. */
export function amount(value: number): string {
  for (const [unit, letter] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (value >= unit) return `${(value / unit).toPrecision(value / unit >= 100 ? 4 : 3)} ${letter}`;
  }
  return String(Math.round(value));
}

/** `6.82 ms` */
export function duration(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${(nanoseconds / 1e9).toFixed(2)} s`;
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(2)} ms`;
  return `${(nanoseconds / 1e3).toFixed(1)} µs`;
}

/** `256`, `32×8`, `8×8×4`: threads of a block or blocks of a grid, without extents of 1 at the end. */
export function shape([x, y, z]: readonly [number, number, number]): string {
  return z > 1 ? `${x}×${y}×${z}` : y > 1 ? `${x}×${y}` : String(x);
}
