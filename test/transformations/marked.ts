// Text whose characters know their places in the program before any transformation.

export interface Marked {
  readonly text: string;
  /** Of each character its offset in the first text; -1 where it was added. */
  readonly origins: readonly number[];
}

/** Replaces `start` to `end`. A string takes the place of what it replaces; before other text it has none. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly by: readonly (string | Marked)[];
}

export function markedText(text: string): Marked {
  return { text, origins: Array.from({ length: text.length }, (_, at) => at) };
}

export function slice({ text, origins }: Marked, start: number, end = text.length): Marked {
  return { text: text.slice(start, end), origins: origins.slice(start, end) };
}

export function joined(parts: readonly (string | Marked)[], origin = -1): Marked {
  const origins: number[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') for (let at = 0; at < part.length; at++) origins.push(origin);
    else for (const one of part.origins) origins.push(one);
    text += typeof part === 'string' ? part : part.text;
  }
  return { text, origins };
}

/** Changes that do not overlap, in any order; at one place the earlier in the list comes first. */
export function changed(marked: Marked, changes: readonly Change[]): Marked {
  const sorted = changes.map((change, at) => ({ change, at }));
  sorted.sort((a, b) => a.change.start - b.change.start || a.change.end - b.change.end || a.at - b.at);
  const parts: (string | Marked)[] = [];
  let end = 0;
  for (const { change } of sorted) {
    if (change.start < end)
      throw new Error(`Changes overlap at ${change.start}: ${marked.text.slice(change.start, end)}`);
    parts.push(slice(marked, end, change.start));
    parts.push(joined(change.by, change.end > change.start ? marked.origins[change.start]! : -1));
    end = change.end;
  }
  parts.push(slice(marked, end));
  return joined(parts);
}

/** The place of a span of the new text in the first: by the first character of it that was there, or -1. */
export function originOf({ origins }: Marked, start: number, end: number): number {
  for (let at = start; at < Math.max(end, start + 1); at++) if ((origins[at] ?? -1) >= 0) return origins[at]!;
  return -1;
}
