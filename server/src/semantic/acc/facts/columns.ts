// Keeps directives of Fortran within the columns that compilers read, whatever fixes add to them.
import { isFixedFormFile } from '../../../syntax/fortran';
import { append } from '../../language';
import type { Edit, Model } from '../../model';
import { endOfLine } from './directiveEdits';

interface Fixed {
  readonly fixes: readonly { readonly edits: readonly Edit[] }[];
}
type Form = 'free' | 'fixed';

const columns: Readonly<Record<Form, number>> = { free: 132, fixed: 72 };
const directive = /^([ \t]*)([!cC*]\$acc)[&\w]?[ \t]+/i;
/** A blank within added clauses: no line is broken there. */
const heldBlank = '\uFFFF';

export function keepColumns<F extends Fixed>(findings: readonly F[], { uri, fortran }: Model, text: string): F[] {
  const kept = <T extends Fixed['fixes'][number]>(fix: T): T => ({
    ...fix,
    edits: withinColumns(fix.edits, uri, text, fortran),
  });
  return findings.map((finding) => ({ ...finding, fixes: finding.fixes.map(kept) }));
}

/** Edits whose directives go on in the next line where one line would be too long. */
export function withinColumns(edits: readonly Edit[], uri: string, text: string, form?: Form): readonly Edit[] {
  const byLine = new Map<number, Edit[]>();
  for (const edit of edits)
    if (edit.at.uri === uri) append(byLine, text.lastIndexOf('\n', edit.at.start - 1) + 1, edit);
  const broken = new Map<Edit, readonly Edit[]>();
  for (const [start, ofLine] of byLine) {
    const end = endOfLine(text, start);
    let after = '';
    let last = start;
    for (const { at, newText } of [...new Set(ofLine)].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end)) {
      after +=
        text.slice(last, at.start) + (newText.includes('\n') ? newText : newText.replace(/\b (?=\w)/g, heldBlank));
      last = at.end;
    }
    const lines = (after + text.slice(last, end)).split(/\r?\n/);
    if (last > end || !lines.some((line) => line.length > columns.fixed && directive.test(line))) continue;
    const ofFile = form ?? (isFixedFormFile(uri, text) ? 'fixed' : 'free');
    const parts = lines.flatMap((line) => brokenLine(line, ofFile, Math.max(columns[ofFile], end - start)));
    const newText = parts.join(text.includes('\r\n') ? '\r\n' : '\n').replaceAll(heldBlank, ' ');
    if (parts.length > lines.length)
      for (const edit of ofLine) broken.set(edit, edit === ofLine[0] ? [{ at: { uri, start, end }, newText }] : []);
  }
  return broken.size === 0 ? edits : [...new Set(edits)].flatMap((edit) => broken.get(edit) ?? [edit]);
}

function brokenLine(line: string, form: Form, width: number): readonly string[] {
  const [head, indent, sentinel] = directive.exec(line) ?? [];
  if (head === undefined) return [line];
  const places: { readonly at: number; readonly depth: number }[] = [];
  let depth = 0;
  let quote = '';
  let code = head.length;
  for (; code < line.length && (quote || line[code] !== '!'); code++) {
    const char = line[code]!;
    if (quote ? char === quote : /['"]/.test(char)) quote = quote ? '' : char;
    else if (!quote) depth += Number(char === '(') - Number(char === ')');
    const at = char === ',' ? code + 1 : code;
    if (!quote && /[ ,]/.test(char) && at <= width - (form === 'free' ? 2 : 0)) places.push({ at, depth });
  }
  const place = places.findLast((each) => each.depth <= 0) ?? places.at(-1);
  if (line.slice(0, code).trimEnd().length <= width || !place) return [line];
  const next = form === 'free' ? `${indent}${sentinel} ` : `${sentinel}& `;
  const rest = brokenLine(next + line.slice(place.at).trimStart(), form, columns[form]);
  return [line.slice(0, place.at).trimEnd() + (form === 'free' ? ' &' : ''), ...rest];
}
