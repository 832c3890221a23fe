// Keeps the layout of lines that edits touch: what is in a column with other lines stays in it, and continuation lines
// follow what they are aligned to. By the text alone.
import { createBraces, type Replacement } from './braces';
import { type Anchor, createColumns, firstEndingAfter } from './columns';

export type { Replacement };

/** Tokens that share a column. */
type Group = readonly Anchor[];

export type Layout = ReturnType<typeof createLayout>;

export function createLayout(text: string) {
  const columns = createColumns(text);
  const { lineOf, lineSpan, tokensOf, anchorsOf, columnOf, width, blanks } = columns;
  return {
    kept,
    placeOf,
    /** An edit with its braces where the function around it has them. */
    styled: createBraces(text).styled,
  };

  /** Where an insertion goes: lines that would part code from its comment go behind the comment. */
  function placeOf({ start, end, newText }: Replacement): number {
    if (start !== end || !/^\r?\n/.test(newText)) return start;
    const line = lineOf(start);
    const rest = tokensOf(line).filter((token) => token.end > start);
    const isComment = rest.length === 1 && rest[0]!.kind === 'comment' && rest[0]!.start >= start;
    return isComment && !anchorsOf(line).at(-1)?.isLong ? rest[0]!.end : start;
  }

  /**
   * Which blanks change with edits, in order of place. The edits are in order and do not overlap; what is returned
   * overlaps none of them and begins where none of them does.
   */
  function kept(edits: readonly Replacement[]): readonly Replacement[] {
    /** Columns further right than before, by token. */
    const columnsAfter = new Map<number, number>();
    const edited = new Set(edits.map(({ end }) => lineOf(end)));
    const touched = new Set(edited);
    const changed = new Set(edited);
    // Lines that change only become more, and columns only move right, so that this ends.
    const sum = (): number => [...columnsAfter.values()].reduce((total, column) => total + column, 0);
    for (;;) {
      const [lines, moves] = [changed.size, sum()];
      const made = pass();
      if (changed.size > lines) columnsAfter.clear();
      else if (sum() === moves) return made;
    }

    function pass(): readonly Replacement[] {
      const made: Replacement[] = [];
      const moved = new Set<number>();
      const lines = [...touched].sort((a, b) => a - b);
      for (let index = 0; index < lines.length; index++) {
        const line = lines[index]!;
        if (indent(line, made, moved)) {
          moved.add(line);
          changed.add(line);
        }
        for (const anchor of anchorsOf(line)) align(anchor, made);
        const next = line + 1;
        const follows = moved.has(line) || edited.has(line);
        if (follows && lines[index + 1] !== next && next < columns.lineCount) lines.splice(index + 1, 0, next);
      }
      return made;
    }

    /** Moves a line with what it is aligned to. */
    function indent(line: number, made: Replacement[], moved: ReadonlySet<number>): boolean {
      const { start } = lineSpan(line);
      const first = tokensOf(line)[0];
      const target = first && first.start > start ? alignedTo(line, moved) : undefined;
      const column = target === undefined ? undefined : columnAfter(target, made);
      if (!first || column === undefined || isTaken(start, first.start)) return false;
      const by = column - columnOf(target!);
      // Tabs stay: only blanks behind them give way.
      if (by === 0 || !text.slice(start, first.start).endsWith(' '.repeat(Math.max(1, -by)))) return false;
      return change({ start, at: first.start }, by > 0 ? ' '.repeat(by) : -by, made);
    }

    /** Gives a token the column of its group. */
    function align(anchor: Anchor, made: Replacement[]): void {
      const { start, at, gap, kind } = anchor;
      if (isTaken(start, at)) return;
      const before = lineBefore(start, made);
      if (gap !== undefined && before.trim() === '') {
        // A comment whose code is gone begins where the code did.
        if (kind === 'comment') change(anchor, at - start, made);
        return;
      }
      const group = columns.groupOf(anchor);
      if (!group) return;
      const column = columnsAfter.get(at) ?? anchor.column;
      if (gap === undefined) {
        const by = column - anchor.column;
        if (by > 0 && !made.some(({ end }) => end === at)) change(anchor, ' '.repeat(by), made);
        return;
      }
      const end = width(before);
      if (end === columnOf(start) && column === anchor.column) return;
      const least = kind === 'comment' ? Math.min(gap, columns.leastBeforeComments) : 1;
      if (end + least > column) move(anchor, group, end + least);
      const now = text.slice(start, at);
      const then = blanks(end, Math.max(column, end + least), now);
      if (now === then) return;
      let same = 0;
      while (same < Math.min(now.length, then.length) && now[same] === then[same]) same++;
      if (same === now.length) change(anchor, then.slice(same), made);
      else if (same > 0 || !edits.some((edit) => edit.start === start))
        made.push({ start: start + same, end: at, newText: then.slice(same) });
    }

    /**
     * Moves a token, and the lines of comments alone that go on below it; its whole group where edits touch at least as
     * many of its lines as not.
     */
    function move(anchor: Anchor, group: Group, column: number): void {
      const coded = group.filter(({ gap }) => gap !== undefined);
      const below = group.filter(({ line }) => line > anchor.line);
      const goesOn = below.findIndex(({ line, gap }, index) => gap !== undefined || line !== anchor.line + index + 1);
      const isWhole = 2 * coded.filter(({ line }) => changed.has(line)).length >= coded.length;
      const own = [anchor, ...(anchor.kind === 'comment' ? below.slice(0, goesOn < 0 ? below.length : goesOn) : [])];
      for (const { line, at } of isWhole ? group : own) {
        touched.add(line);
        columnsAfter.set(at, column);
      }
    }

    /** Adds blanks before a place, or takes so many away. */
    function change({ start, at }: Pick<Anchor, 'start' | 'at'>, by: string | number, made: Replacement[]): boolean {
      if (typeof by === 'number') {
        made.push({ start: at - by, end: at, newText: '' });
        return true;
      }
      const place = [at, start].find((one) => !edits.some((edit) => edit.start === one));
      if (place === undefined) return false;
      made.push({ start: place, end: place, newText: by });
      return true;
    }

    /** An edit changes the blanks. */
    function isTaken(start: number, at: number): boolean {
      const edit = edits[firstEndingAfter(edits, start)];
      return edit !== undefined && edit.start < at;
    }

    /** The column of a token after the edits; undefined where one of them replaces it. */
    function columnAfter(at: number, made: readonly Replacement[]): number | undefined {
      const edit = edits.find(({ start, end }) => start < at && at < end);
      if (!edit) return width(lineBefore(at, made, true));
      const { start, end, newText } = edit;
      const [head, tail] = [text.slice(start, at), text.slice(at, end)];
      const upTo = newText.startsWith(head)
        ? head
        : newText.endsWith(tail)
          ? newText.slice(0, -tail.length)
          : undefined;
      return upTo === undefined ? undefined : width(lastLine(lineBefore(start, made) + upTo));
    }

    /** What is before a place on its line after the edits; without what is inserted there where `isAside`. */
    function lineBefore(at: number, made: readonly Replacement[], isAside = false): string {
      let line = '';
      let place = at;
      let [own, other] = [edits, made].map((list) => firstEndingAfter(list, at) - 1) as [number, number];
      while (isAside && edits[own]?.start === at) own--;
      for (;;) {
        const [a, b] = [edits[own], made[other]];
        const isOwn = a !== undefined && (b === undefined || a.end > b.end || (a.end === b.end && a.start >= b.start));
        const edit = isOwn ? a : b;
        const { start } = lineSpan(lineOf(place));
        if (!edit || edit.end < start) return text.slice(start, place) + line;
        line = text.slice(edit.end, place) + line;
        if (/[\r\n]/.test(edit.newText)) return lastLine(edit.newText) + line;
        line = edit.newText + line;
        place = edit.start;
        if (isOwn) own--;
        else other--;
      }
    }
  }

  /**
   * The place that a line is aligned to: what begins in the column of its first token between the bracket that is open
   * there, or the begin of the statement, and the line.
   */
  function alignedTo(line: number, moved: ReadonlySet<number>): number | undefined {
    const [first] = tokensOf(line);
    const column = columnOf(first!.start);
    let depth = 0;
    for (let above = line - 1; above >= 0; above--) {
      const tokens = tokensOf(above);
      const isDirective = tokens[0] !== undefined && text[tokens[0].start] === '#';
      if (tokens.length === 0 || (isDirective && tokens.at(-1)!.kind !== 'backslash')) return undefined;
      for (let index = tokens.length - 1; index >= 0; index--) {
        const { start, kind } = tokens[index]!;
        if (kind === 'close') {
          // A block ends the statement before.
          if (depth === 0 && index === tokens.length - 1 && text[start] === '}') return undefined;
          depth++;
        } else if (kind === 'open') {
          if (depth === 0) return first!.kind === 'close' && columnOf(start) === column ? start : undefined;
          depth--;
        } else if (kind === 'end' && depth === 0) return undefined;
        if (depth > 0 || columnOf(start) !== column) continue;
        return index > 0 || moved.has(above) ? start : undefined;
      }
      if (isDirective) return undefined;
    }
    return undefined;
  }
}

function lastLine(written: string): string {
  return written.slice(Math.max(written.lastIndexOf('\n'), written.lastIndexOf('\r')) + 1);
}
