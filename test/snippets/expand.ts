// A snippet as an editor inserts it when its user keeps every default.

export interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: readonly string[];
}

/** Replaces `$1`, `${1}`, `${1:default}`, nested ones too, by their defaults; a bare `$1` takes the default given elsewhere. */
export function expand(snippet: Snippet): string {
  const defaults = new Map<string, string>();
  const read = (text: string): string => {
    let result = '';
    for (let at = 0; at < text.length; ) {
      const opening = /^\$(?:(\d+)|\{(\d+)(?::|\}))/.exec(text.slice(at));
      if (text[at] === '\\' && /[$}\\]/.test(text[at + 1] ?? '')) {
        result += text[at + 1];
        at += 2;
        continue;
      }
      if (!opening) {
        result += text[at++];
        continue;
      }
      at += opening[0].length;
      const number = opening[1] ?? opening[2]!;
      if (!opening[0].endsWith(':')) {
        result += defaults.get(number) ?? '';
        continue;
      }
      let depth = 1;
      let end = at;
      for (; depth > 0; end++) {
        if (end >= text.length) throw new Error(`"${snippet.prefix}" has a placeholder without an end.`);
        if (text.startsWith('${', end)) depth++;
        else if (text[end] === '}') depth--;
      }
      const value = read(text.slice(at, end - 1));
      defaults.set(number, value);
      result += value;
      at = end;
    }
    return result;
  };
  return read(snippet.body.join('\n'));
}
