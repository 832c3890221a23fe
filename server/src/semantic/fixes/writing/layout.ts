// The edits of a fix in the style of the function around them, with those of blanks that keep the layout of its lines.
import { createLayout, type Layout } from '../../../syntax/layout';
import { once } from '../../language';
import type { Edit } from '../../span';

interface Fixed {
  readonly fixes: readonly { readonly edits: readonly Edit[] }[];
}

/** The findings of a text of the C family, each fix with what keeps the layout of the file. */
export function keepLayout<F extends Fixed>(findings: readonly F[], uri: string, text: string): F[] {
  if (!findings.some(({ fixes }) => fixes.length > 0)) return [...findings];
  let layout: Layout | undefined;
  // Findings share the edits of all places. Most are never asked for.
  const keep = once((edits: readonly Edit[]) => laidOut(edits, uri, (layout ??= createLayout(text))));
  const kept = <T extends F['fixes'][number]>(fix: T): T =>
    Object.defineProperty({ ...fix }, 'edits', { enumerable: true, get: () => keep(fix.edits) });
  return findings.map((finding) => ({ ...finding, fixes: finding.fixes.map(kept) }));
}

/** Edits of several fixes: the blanks that keep the layout follow from all of them. */
export function relaidOut(edits: readonly Edit[], uri: string, text: string): readonly Edit[] {
  const isOfLayout = ({ at, layout }: Edit): boolean => layout === true && at.uri === uri;
  if (!edits.some(isOfLayout)) return edits;
  return laidOut(
    edits.filter((edit) => !isOfLayout(edit)),
    uri,
    createLayout(text),
  );
}

function laidOut(all: readonly Edit[], uri: string, layout: Layout): readonly Edit[] {
  const styled = all.map((edit) => {
    if (edit.at.uri !== uri) return edit;
    const { newText, ...span } = layout.styled({ ...edit.at, newText: edit.newText });
    return { ...edit, at: { uri, ...span }, newText };
  });
  const edits = styled.map((edit) => {
    const { at, newText } = edit;
    if (at.uri !== uri) return edit;
    const place = layout.placeOf({ ...at, newText });
    const isFree = styled.every((other) => other.at.uri !== uri || other.at.start > place || other.at.end < place);
    return place !== at.start && isFree ? { ...edit, at: { uri, start: place, end: place } } : edit;
  });
  const here = edits.flatMap(({ at, newText }) => (at.uri === uri ? [{ start: at.start, end: at.end, newText }] : []));
  const distinct = [...new Map(here.map((one) => [`${one.start} ${one.end} ${one.newText}`, one])).values()].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  );
  if (distinct.some(({ start }, index) => index > 0 && start < distinct[index - 1]!.end)) return styled;
  const kept = layout
    .kept(distinct)
    .map(({ start, end, newText }): Edit => ({ at: { uri, start, end }, newText, layout: true }));
  return [...edits, ...kept];
}
