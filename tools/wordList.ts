// Words that this project does not write, with what to write instead. tools/tidy.ts looks for them in comments, string
// literals and Markdown.

export interface Avoided {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

export const avoided: readonly Avoided[] = [
  { pattern: /\banew\b/gi, instead: '"again", or a verb with re-' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: '"fix"' },
  { pattern: /\btold\b/gi, instead: '"reported", "known" or "distinguished"' },
  { pattern: /\bwho(?:m)?ever\b/gi, instead: 'the actor' },
  { pattern: /\blet be\b/gi, instead: '"keep" or "leave unchanged"' },
  { pattern: /\b(?:hang|hangs|hung) on\b/gi, instead: '"depend on"' },
  { pattern: /\b(?:in|out of|no|beyond) sight\b/gi, instead: '"known", "unknown" or "in this file"' },
  { pattern: /\bof (?:its|their|his|your|one's) own\b/gi, instead: '"its own x", "separate" or "private"' },
  { pattern: /\bas often as not\b/gi, instead: '"often"' },
  { pattern: /\b(?:leave|leaves|left) off\b/gi, instead: '"stop" or "omit"' },
  { pattern: /\bnobody\b/gi, instead: 'the actor: "no one", "no file", "no user"' },
  { pattern: /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|fewer\b|\w+er\b)/gi, instead: '"is not a"' },
  { pattern: /\b(?:without|worth|say|says|not|has|have) a word\b/gi, instead: '"silently", "a remark" or "nothing"' },
  {
    pattern: /\b(?:stand|stands|stood) (?:at|behind|before|beside|between|here|in|on|there|under)\b/gi,
    instead: '"is", "comes" or "belongs"',
  },
];

/** Where the words are looked for. */
export const checked = /\.(?:ts|mjs|md)$|^package\.json$|^snippets\/.*\.json$/;

/** Rooms that are not rewritten yet. The list only gets shorter. */
export const notYet: readonly RegExp[] = [];

/** Comments and string literals of a TypeScript text with their places. */
export function written(text: string): { readonly at: number; readonly text: string }[] {
  const found: { at: number; text: string }[] = [];
  let at = 0;
  let last = '';
  const until = (from: number, end: number): void => {
    found.push({ at: from, text: withoutHoles(text.slice(from, end)) });
    at = end;
  };
  while (at < text.length) {
    const sign = text[at]!;
    if (text.startsWith('//', at)) until(at, endOf(text, '\n', at));
    else if (text.startsWith('/*', at)) until(at, endOf(text, '*/', at + 2) + 2);
    else if (sign === '"' || sign === "'" || sign === '`') {
      until(at, sign === '`' ? templateEnd(text, at) : quoteEnd(text, at));
      last = sign;
    } else if (sign === '/' && (last === '' || /[(,=:[!&|?{};+*%~^<>-]/.test(last) || isAfterWord(text, at))) {
      at = patternEnd(text, at);
      last = sign;
    } else {
      if (/\S/.test(sign)) last = sign;
      at++;
    }
  }
  return found;
}

/** A template with its `${…}` blanked: they are code. */
function withoutHoles(piece: string): string {
  if (!piece.startsWith('`')) return piece;
  let kept = '';
  for (let at = 0; at < piece.length; ) {
    const end = piece.startsWith('${', at) ? holeEnd(piece, at + 2) : at + (piece[at] === '\\' ? 2 : 1);
    kept += piece.startsWith('${', at) ? piece.slice(at, end).replace(/[^\n]/g, ' ') : piece.slice(at, end);
    at = end;
  }
  return kept;
}

function isAfterWord(text: string, at: number): boolean {
  return /\b(?:return|typeof|case|of|in)\s*$/.test(text.slice(Math.max(0, at - 12), at));
}

function endOf(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found;
}

function quoteEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== text[from] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function templateEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '`') {
    if (text.startsWith('${', at)) at = holeEnd(text, at + 2);
    else at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function holeEnd(text: string, from: number): number {
  let at = from;
  for (let depth = 1; at < text.length && depth > 0; ) {
    const sign = text[at]!;
    if (sign === '`') at = templateEnd(text, at);
    else if (sign === '"' || sign === "'") at = quoteEnd(text, at);
    else {
      depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
      at++;
    }
  }
  return at;
}

function patternEnd(text: string, from: number): number {
  let at = from + 1;
  let inClass = false;
  while (at < text.length && text[at] !== '\n' && (inClass || text[at] !== '/')) {
    if (text[at] === '[') inClass = true;
    if (text[at] === ']') inClass = false;
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}
