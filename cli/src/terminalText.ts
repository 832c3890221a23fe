// Makes text of files, reports and programs safe for a terminal: no escape sequences, forged lines or reversed text.

/**
 * Control characters of C0 and C1, separators of lines and paragraphs, and the marks that change the direction of text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const control = /[\0-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * One visible character for each that is not, so that carets stay below their words: `␛` for escape, `␊` for a newline.
 */
function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** A name, a path or a message: one line without control characters. */
export function cleanName(text: string): string {
  return text.replace(control, shown);
}

/** A line of source: tabs stay. */
export function cleanLine(text: string): string {
  return text.replace(control, (character) => (character === '\t' ? character : shown(character)));
}

/**
 * Several lines, of a program or a compiler: newlines and tabs stay. A carriage return before a newline is its part.
 */
export function cleanLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(control, (character) => (/[\n\t]/.test(character) ? character : shown(character)));
}

/**
 * JSON whose strings hold no control character that JSON leaves as it is: a terminal takes U+009B for the start of a
 * sequence.
 */
export function cleanJson(json: string): string {
  return json.replace(control, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What `schemas/` describes: the version changes with the meaning of a key; keys may be added. */
export function versioned(value: object, indent?: number): string {
  return cleanJson(JSON.stringify({ version: 1, ...value }, null, indent));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours and the redrawing of the status line
const ourOwn = /\x1b\[(?:\d{1,2}|38;5;\d{1,3})?m|\r\x1b\[K/g;

/** The last filter before the terminal: only newlines, tabs, colours and redrawing of the status line pass. */
export function cleanOutput(text: string): string {
  let result = '';
  let last = 0;
  for (const match of text.matchAll(ourOwn)) {
    result += cleanLines(text.slice(last, match.index)) + match[0];
    last = match.index + match[0].length;
  }
  return result + cleanLines(text.slice(last));
}
