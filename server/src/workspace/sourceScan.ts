// Reads off a text, in one pass and without parsing it, what the files around it have to know: what it includes, which
// kernels it launches and which it defines.

export interface SourceScan {
  /** The paths of its `#include` lines as written, in order. */
  readonly includes: readonly string[];
  /** Last parts of the names of kernels that it launches; of inactive branches too, which costs a parse and no more. */
  readonly launched: ReadonlySet<string>;
  /** Names of the kernels that it defines. */
  readonly defined: ReadonlySet<string>;
  /** It has a `main`: a program begins here. */
  readonly main: boolean;
}

/** Angle brackets are followed so deep; deeper ones are comparisons or hostile. */
const deepestAngles = 64;

/**
 * The scan of a C, C++ or CUDA text. Linear in its length whatever it holds; comments, strings and characters count for
 * nothing.
 */
export function scanSource(text: string): SourceScan {
  const includes: string[] = [];
  const launched = new Set<string>();
  const defined = new Set<string>();
  const length = text.length;
  let at = 0;
  let lineStart = true;
  /** The identifier read last, with the angle brackets after it taken as a part of it. */
  let last = '';
  const angles: { readonly name: string; readonly depth: number }[] = [];
  let depth = 0;
  /**
   * Behind `cudaLaunchKernel…` or `hipLaunchKernel…`: the parentheses of its call, and how many arguments are still
   * names of a kernel.
   */
  let launchDepth = -1;
  let launchArguments = 0;
  /** Behind `__global__`: the function's name once it is known, and the parentheses of its parameters. */
  let kernel: string | undefined;
  let awaitingKernel = false;
  let parametersDepth = -1;
  let parametersRead = false;
  let main = false;

  const endStatement = (): void => {
    angles.length = 0;
    awaitingKernel = false;
    kernel = undefined;
    parametersRead = false;
    parametersDepth = -1;
  };

  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      lineStart = true;
      at++;
      continue;
    }
    if (code <= 32) {
      at++;
      continue;
    }
    if (code === 47 /* / */ && text.charCodeAt(at + 1) === 47) {
      at = endOfLine(text, at);
      continue;
    }
    if (code === 47 && text.charCodeAt(at + 1) === 42) {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? length : end + 2;
      continue;
    }
    if (code === 35 /* # */ && lineStart) {
      const included = includeAt(text, at);
      if (included !== undefined) {
        includes.push(included);
        at = endOfLine(text, at);
        continue;
      }
      lineStart = false;
      at++;
      continue;
    }
    lineStart = false;
    if (code === 34 /* " */) {
      at = last === 'R' || /^(?:u8|u|U|L)R$/.test(last) ? endOfRawString(text, at) : endOfQuoted(text, at, 34);
      continue;
    }
    if (code === 39 /* ' */) {
      at = endOfQuoted(text, at, 39);
      continue;
    }
    if (startsWord(code)) {
      const start = at;
      while (at < length && continuesWord(text.charCodeAt(at))) at++;
      last = at - start > 256 ? '' : text.slice(start, at);
      if (last === '__global__') {
        endStatement();
        awaitingKernel = true;
      } else if (/^(?:cuda|hip)Launch/.test(last) && last.includes('Kernel')) {
        launchDepth = depth;
        launchArguments = last.startsWith('cudaLaunchKernelEx') ? 2 : 1;
      }
      continue;
    }
    if (code >= 48 && code <= 57) {
      // A number with its suffix and its digit separators.
      at++;
      while (at < length && (continuesWord(text.charCodeAt(at)) || isSeparator(text, at))) at++;
      last = '';
      continue;
    }
    switch (code) {
      case 60 /* < */:
        if (text.startsWith('<<<', at)) {
          if (last !== '') launched.add(last);
          last = '';
          at += 3;
          continue;
        }
        if (text.charCodeAt(at + 1) === 60) {
          last = '';
          at += 2;
          continue;
        }
        if (angles.length < deepestAngles) angles.push({ name: last, depth });
        last = '';
        break;
      case 62 /* > */:
        // Within its own parentheses it compares.
        last = angles.at(-1)?.depth === depth ? angles.pop()!.name : '';
        break;
      case 40 /* ( */:
        if (last === 'main') main = true;
        if (awaitingKernel && kernel === undefined && last !== '' && !/^__\w+__$/.test(last)) {
          kernel = last;
          parametersDepth = depth;
        }
        depth++;
        last = '';
        break;
      case 41 /* ) */:
        depth = Math.max(0, depth - 1);
        while (angles.length > 0 && angles.at(-1)!.depth > depth) angles.pop();
        if (launchDepth >= 0 && depth === launchDepth) {
          if (launchArguments > 0 && last !== '') launched.add(last);
          launchDepth = -1;
        }
        if (kernel !== undefined && depth === parametersDepth) parametersRead = true;
        // The kernel may stand within a cast.
        if (launchDepth < 0) last = '';
        break;
      case 44 /* , */:
        if (launchDepth >= 0 && depth === launchDepth + 1 && launchArguments > 0) {
          if (last !== '') launched.add(last);
          launchArguments--;
        }
        last = '';
        break;
      case 123 /* { */:
        if (kernel !== undefined && parametersRead) defined.add(kernel);
        endStatement();
        last = '';
        break;
      case 59 /* ; */:
      case 125 /* } */:
        endStatement();
        depth = 0;
        launchDepth = -1;
        last = '';
        break;
      case 92 /* a line that goes on */:
        break;
      default:
        last = '';
    }
    at++;
  }
  return { includes, launched, defined, main };
}

function startsWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36 || code > 127;
}
function continuesWord(code: number): boolean {
  return startsWord(code) || (code >= 48 && code <= 57);
}
function isSeparator(text: string, at: number): boolean {
  return text.charCodeAt(at) === 39 && continuesWord(text.charCodeAt(at + 1));
}
function endOfLine(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    const before = text.charCodeAt(end - 1) === 13 ? end - 2 : end - 1;
    if (before < from || text.charCodeAt(before) !== 92) return end;
    at = end + 1;
  }
}
/** Behind the closing quote, or the end of the line of one that is never closed. */
function endOfQuoted(text: string, from: number, quote: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === quote) return at + 1;
    else if (code === 10) return at;
  }
  return text.length;
}
function endOfRawString(text: string, quote: number): number {
  const open = text.indexOf('(', quote);
  if (open < 0 || open - quote > 17) return quote + 1;
  const close = `)${text.slice(quote + 1, open)}"`;
  const end = text.indexOf(close, open);
  return end < 0 ? text.length : end + close.length;
}
/** The path of an `#include` whose `#` is at `hash`. */
function includeAt(text: string, hash: number): string | undefined {
  let at = skipBlanks(text, hash + 1);
  if (!text.startsWith('include', at)) return undefined;
  at += 7;
  if (text.startsWith('_next', at)) at += 5;
  at = skipBlanks(text, at);
  const close = text[at] === '"' ? '"' : text[at] === '<' ? '>' : undefined;
  if (close === undefined) return undefined;
  const lineEnd = text.indexOf('\n', at);
  // Only this line is searched: a quote that is never closed must not cost the rest of the file for every line.
  const line = text.slice(at + 1, lineEnd < 0 ? text.length : lineEnd);
  const end = line.indexOf(close);
  return end <= 0 ? undefined : line.slice(0, end);
}
function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++;
  return at;
}
