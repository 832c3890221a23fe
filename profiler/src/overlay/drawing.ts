// How a mark is drawn: its text after the code, the cell in the gutter and the bar in a tree.

/** Columns that a window of 1,400 pixels shows between a side bar and a minimap. */
const widest = 100;
/** Words stand no further right than this under each other: in a narrow window they need thirty columns. */
const rightmostColumn = 48;
/** Least distance between the code and its words. */
const leastGap = 3;
/** Between pieces. */
const pieceGap = 2;

/**
 * How far right the words of a file stand: behind its longest marked line, unless that is long; words of a longer line
 * stand right behind it.
 */
export function wordColumn(lengths: readonly number[]): number {
  return lengths.reduce((most, length) => (length <= rightmostColumn ? Math.max(most, length) : most), 0) + leastGap;
}

/**
 * Pieces of text behind code of this length: the columns before the first, and the text. They follow each other, so
 * that a narrow window shows as much as it can; after the first, what would cross `widest` is left to the hover.
 */
export function laidOut(pieces: readonly string[], length: number, column: number): { gap: number; text: string } {
  const gap = Math.max(leastGap, column - length);
  const text = pieces.reduce((before, piece) => {
    const longer = before + ' '.repeat(pieceGap) + piece;
    return length + gap + longer.length <= widest ? longer : before;
  });
  return { gap, text };
}

/** Columns that a text takes with its tabs. */
export function visualLength(text: string, tabSize: number): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? tabSize - (column % tabSize) : 1;
  return column;
}

/** Spaces that an editor's decoration does not collapse, and aligned figures. */
export function unfolded(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** `55.2%`, padded to the width of `100.0%`. */
export function paddedFigure(figure: string): string {
  return figure.padStart(6, '\u2007');
}

/**
 * What a cell in the gutter tells by its colour: cost, a line that is no longer what was profiled, or a difference to
 * another report.
 */
export type CellTone = 'heat' | 'stale' | 'better' | 'worse' | 'changed';

/**
 * Fill, and the inks of the number on a light and on a full fill. Editors give icons no theme variables, so colours are
 * fixed.
 */
const tones: Readonly<Record<CellTone, Readonly<Record<'dark' | 'light', readonly [string, string, string]>>>> = {
  heat: { dark: ['#d18616', '#d9b78f', '#f6e6cf'], light: ['#d9730d', '#6b3a05', '#2b1600'] },
  stale: { dark: ['#808080', '#a0a0a0', '#a0a0a0'], light: ['#808080', '#606060', '#606060'] },
  better: { dark: ['#3fa34d', '#a5dcab', '#e2f6e4'], light: ['#2e8b3d', '#0f4d1a', '#06270c'] },
  worse: { dark: ['#d1483f', '#efb3ae', '#fce6e4'], light: ['#c9382e', '#6e130c', '#350603'] },
  changed: { dark: ['#808080', '#c8c8c8', '#e8e8e8'], light: ['#808080', '#404040', '#202020'] },
};

/** What lies behind a cell in the editor's default themes, and in those of high contrast. */
const grounds = { dark: ['#1f1f1f', '#000000'], light: ['#ffffff', '#ffffff'] } as const;

const channelsOf = (color: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);

/** How far two colors stand apart (WCAG 2.2, 1.4.3). */
function contrastOf(one: readonly number[], other: readonly number[]): number {
  const luminance = (channels: readonly number[]): number =>
    channels
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
      .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at]!, 0);
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

/** The first of the inks that can be read on a fill over its ground; white or black always can. */
function readableInk(inks: readonly string[], hue: string, fill: number, ground: string): string {
  const [over, behind] = [channelsOf(hue), channelsOf(ground)];
  const cell = over.map((each, at) => each * fill + behind[at]! * (1 - fill));
  return [...inks, '#ffffff'].find((ink) => contrastOf(channelsOf(ink), cell) >= 4.5) ?? '#000000';
}

/** A square for the gutter: filled by heat, with its number. `contrast` adds an outline. */
export function gutterCell(
  label: string,
  heat: number,
  theme: 'dark' | 'light',
  contrast: boolean,
  tone: CellTone = 'heat',
): string {
  const [hue, quiet, loud] = tones[tone][theme];
  const hottest = heat > 0.8 && tone === 'heat';
  const fill = tone === 'stale' ? 0.13 : Math.min(1, 0.13 + 0.77 * heat + (contrast ? 0.1 : 0));
  const ink = readableInk([quiet, loud], hue, fill, grounds[theme][contrast ? 1 : 0]);
  const outline = tone === 'heat' ? (theme === 'dark' ? '#ffa94d' : '#8a3f00') : ink;
  const stroke = contrast ? ` stroke='${outline}'` : '';
  const size = label.length > 2 ? 8.5 : 10.5;
  // Whatever the font, the number stays inside its square.
  const fit = label.length > 1 ? ` textLength='${label.length > 2 ? 14 : 13}' lengthAdjust='spacingAndGlyphs'` : '';
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='20' height='19'><rect x='.5' y='2' width='16' height='15' ` +
    `rx='2.5' fill='${hue}' fill-opacity='${fill.toFixed(2)}'${stroke}/>` +
    `<text x='8.5' y='13.3' font-family='sans-serif' font-size='${size}'${hottest ? " font-weight='bold'" : ''} ` +
    `text-anchor='middle' fill='${ink}'${fit}>${label}</text></svg>`
  );
}

/** A bar for the tree, as wide as its share. */
export function treeBar(part: number, theme: 'dark' | 'light'): string {
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'><rect y='5' width='16' height='6' ` +
    `fill='#808080' fill-opacity='.25'/><rect y='5' width='${Math.max(1, 16 * part).toFixed(1)}' height='6' ` +
    `fill='${theme === 'dark' ? '#d18616' : '#b5651d'}'/></svg>`
  );
}
