// How a mark is drawn: where its words stand beside the code, the cell in the gutter and the bar in a tree.

/** Words stand no further right than this under each other: a window of 800 pixels shows some eighty columns, and they need thirty. */
const rightmostColumn = 48;
/** Least distance between the code and its words. */
export const leastGap = 3;

/** How far right the words of a file stand: behind its longest marked line, unless that is long; words of a longer line stand right behind it. */
export function wordColumn(lengths: readonly number[]): number {
  return lengths.reduce((most, length) => (length <= rightmostColumn ? Math.max(most, length) : most), 0) + leastGap;
}

/** Columns that a text takes with its tabs. */
export function visualLength(text: string, tabSize: number): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? tabSize - (column % tabSize) : 1;
  return column;
}

/** Spaces that an editor's decoration does not fold, and figures that stand under each other. */
export function unfolded(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** `55.2%`, padded to the width of `100.0%`. */
export function paddedFigure(figure: string): string {
  return figure.padStart(6, '\u2007');
}

/** A square for the gutter: filled by heat, with its number. `contrast` adds an outline. Editors give icons no theme variables, so colours are fixed. */
export function gutterCell(
  label: string,
  heat: number,
  theme: 'dark' | 'light',
  contrast: boolean,
  stale = false,
): string {
  const hue = stale ? '#808080' : theme === 'dark' ? '#d18616' : '#d9730d';
  const ink = stale
    ? theme === 'dark'
      ? '#a0a0a0'
      : '#606060'
    : theme === 'dark'
      ? heat > 0.8
        ? '#1b1206'
        : heat > 0.3
          ? '#f6e6cf'
          : '#d9b78f'
      : heat > 0.3
        ? '#2b1600'
        : '#6b3a05';
  const fill = stale ? 0.13 : Math.min(1, 0.13 + 0.77 * heat + (contrast ? 0.1 : 0));
  const stroke = contrast ? ` stroke='${theme === 'dark' ? '#ffa94d' : '#8a3f00'}'` : '';
  const size = label.length > 2 ? 8.5 : 10.5;
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='20' height='19'><rect x='.5' y='2' width='16' height='15' rx='2.5' fill='${hue}' fill-opacity='${fill.toFixed(2)}'${stroke}/>` +
    `<text x='8.5' y='13.3' font-family='sans-serif' font-size='${size}'${heat > 0.8 && !stale ? " font-weight='bold'" : ''} text-anchor='middle' fill='${ink}'>${label}</text></svg>`
  );
}

/** A bar for the tree, as wide as its share. */
export function treeBar(part: number, theme: 'dark' | 'light'): string {
  return `<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'><rect y='5' width='16' height='6' fill='#808080' fill-opacity='.25'/><rect y='5' width='${Math.max(1, 16 * part).toFixed(1)}' height='6' fill='${theme === 'dark' ? '#d18616' : '#b5651d'}'/></svg>`;
}
