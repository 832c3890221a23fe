// The hover of a measured line: its share, why its warps waited and what helps, and its memory accesses against ideal.
import { Hover, languages, MarkdownString, type Disposable } from 'vscode';
import { hoverText } from './heat';
import type { Overlay } from './overlay';
import { embeddedScheme, type ProfileStore } from './store';

export function registerLineHover(store: ProfileStore, overlay: Overlay): Disposable {
  return languages.registerHoverProvider([{ scheme: 'file' }, { scheme: embeddedScheme }], {
    provideHover(document, position) {
      const profile = store.active;
      if (!profile) return undefined;
      const at = overlay.profiledAt(document, position.line + 1);
      if (at.length === 0) return undefined;
      const measured = profile.kernels
        .filter(({ name }) => store.kernel === undefined || name === store.kernel)
        .flatMap((kernel) => kernel.lines.filter((line) => at.some((place) => place.file === line.file && place.line === line.line)).map((line) => ({ kernel, line })));
      const text = hoverText(measured, profile.name, at.every(({ stale }) => stale));
      if (text === '') return undefined;
      const markdown = new MarkdownString(text);
      markdown.supportHtml = true;
      return new Hover(markdown, document.lineAt(position.line).range);
    },
  });
}
