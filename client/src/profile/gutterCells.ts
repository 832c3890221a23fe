// The cells in the gutter as decoration types: one for each label, heat and theme, made when it is first drawn.
import { ColorThemeKind, DecorationRangeBehavior, Uri, window, type TextEditorDecorationType } from 'vscode';
import { gutterCell, type CellTone } from '../../../profiler/src/overlay/drawing';

/** Types live as long as the extension: disposing one leaves its rules behind. */
export interface GutterCells {
  /** @param heat 0 to 1 */
  of(label: string, heat: number, tone: CellTone): TextEditorDecorationType;
  all(): Iterable<TextEditorDecorationType>;
}

const heatSteps = 6;

export function gutterCells(): GutterCells {
  const cells = new Map<string, TextEditorDecorationType>();
  return {
    of(label, heat, tone) {
      const kind = window.activeColorTheme.kind;
      const contrast = kind === ColorThemeKind.HighContrast || kind === ColorThemeKind.HighContrastLight;
      const step = Math.round(heat * heatSteps) / heatSteps;
      const key = `${label} ${tone} ${tone === 'stale' ? '' : step} ${contrast}`;
      let type = cells.get(key);
      if (!type) {
        const icon = (theme: 'dark' | 'light'): Uri =>
          Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(gutterCell(label, step, theme, contrast, tone))}`);
        type = window.createTextEditorDecorationType({
          light: { gutterIconPath: icon('light') },
          dark: { gutterIconPath: icon('dark') },
          gutterIconSize: 'contain',
          rangeBehavior: DecorationRangeBehavior.ClosedClosed,
        });
        cells.set(key, type);
      }
      return type;
    },
    all: () => cells.values(),
  };
}
