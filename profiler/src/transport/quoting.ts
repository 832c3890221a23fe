/** The only place where a list of arguments becomes text that a shell reads. */

import { Buffer } from 'node:buffer';

/** Linux takes no single argument longer than this (MAX_ARG_STRLEN, 32 pages), and sshd hands a command over as one. */
const longestCommandLine = 128 * 1024 - 1;

/**
 * One word for a POSIX shell: every byte in it is taken literally. Throws a RangeError on a NUL, which no argument can
 * hold.
 */
export function quoteForShell(word: string): string {
  if (word.includes('\0')) throw new RangeError('An argument cannot contain a NUL character.');
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A list of words as one simple command for a POSIX shell. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ');
}

/**
 * A list of words as one line that any login shell (sh, bash, zsh, fish, csh, tcsh) passes on unchanged.
 * ssh joins its arguments and the other side's login shell, which need not be POSIX, reads the result. So the line
 * holds the words in base64 and a fixed text without backslash, exclamation mark or newline, which all these shells
 * read alike.
 * Throws a RangeError for words too long to be a command on Linux.
 */
export function loginShellLine(words: readonly string[]): string {
  const encoded = Buffer.from(`exec ${shellCommand(words)}`, 'utf8').toString('base64');
  const line = `exec sh -c 'eval "$(printf %s "$0" | base64 -d)"' ${encoded}`;
  if (line.length > longestCommandLine) {
    throw new RangeError(`The command has ${line.length} bytes; Linux allows ${longestCommandLine}.`);
  }
  return line;
}

/**
 * Splits what a user typed as a prefix (`srun --gres=gpu:1`, `docker exec -i "my box"`) into words: blanks separate,
 * single and double quotes and backslashes group, and nothing is expanded. Throws a RangeError on a quote that is not
 * closed.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (character === '\\') {
      at++;
      if (at >= text.length)
        throw new RangeError(`The backslash at the end of ${JSON.stringify(text)} escapes nothing.`);
      word += text[at];
    } else if (character === "'" || character === '"') {
      let closed = false;
      for (at++; at < text.length; at++) {
        if (text[at] === character) {
          closed = true;
          break;
        }
        if (character === '"' && text[at] === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\')) at++;
        word += text[at];
      }
      if (!closed) throw new RangeError(`The quote ${character} in ${JSON.stringify(text)} is not closed.`);
    } else {
      word += character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
