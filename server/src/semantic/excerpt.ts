// Source text in messages and titles, shortened at the borders of its words.

/** The most characters of a fix's title: a menu shows these at the usual width. */
export const longestTitle = 70;

const shortest = 8;
const joint = '` and `';

/**
 * Source text as one line of at most `longest` characters: the middle of a long text becomes an ellipsis, which never
 * splits a part of a name (`HIST_SMEM…Index`) unless the part alone is longer than what fits.
 */
export function excerpt(text: string, longest = 60): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= longest) return line;
  const words = line.match(/[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+|_+|\s+|./gsu) ?? [];
  const last = words.at(-1) ?? '';
  const tail =
    last.length <= longest / 3
      ? withFollowing([...words].reverse(), longest / 3)
          .reverse()
          .join('')
      : '';
  const head = withFollowing(words, longest - tail.length - 1)
    .join('')
    .replace(/[\s_]+$/, '');
  return `${head || line.slice(0, longest - tail.length - 1)}…${tail.trimStart()}`;
}

/** Clauses or a list of names as one line of at most `longest` characters: whole names, then an ellipsis. */
export function listExcerpt(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= longest) return line;
  const cut = Math.max(line.lastIndexOf(', ', longest - 2), line.lastIndexOf(' ', longest - 2));
  return cut > 0 ? `${line.slice(0, cut).replace(/,$/, '')} …` : excerpt(line, longest);
}

/** As many of the first words as fit into `longest` characters. */
function withFollowing(words: readonly string[], longest: number): string[] {
  let length = 0;
  const end = words.findIndex((word) => (length += word.length) > longest);
  return words.slice(0, end < 0 ? words.length : end);
}

/** A title of at most 70 characters: the names, joined by "and", are shortened to what the rest of it leaves. */
export function titleWith(names: string | readonly string[], title: (code: string) => string): string {
  const list = typeof names === 'string' ? [names] : names;
  const rest = title(list.map(() => '').join(joint)).length;
  const each = Math.max(shortest, Math.floor((longestTitle - rest) / list.length));
  const isFitting = rest + list.join('').length <= longestTitle;
  return title(list.map((name) => excerpt(name, isFitting ? name.length : each)).join(joint));
}
