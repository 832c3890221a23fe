// Reads off a text, in one pass and without parsing it, what the files around it have to know: what it includes, which
// kernels it launches, which it defines, and what it calls.

import { lex, TokenKind } from '../syntax/tokens';

export interface SourceScan {
  /** The paths of its `#include` lines as written, in order. */
  readonly includes: readonly string[];
  /** Last parts of the names of kernels that it launches; of inactive branches too, which costs a parse and no more. */
  readonly launched: ReadonlySet<string>;
  /** Names of the kernels that it defines. */
  readonly defined: ReadonlySet<string>;
  /** Names before parentheses, each between blanks: a string takes little memory in an index of thousands. */
  readonly calls: string;
  /** It has a `main`: a program begins here. */
  readonly main: boolean;
}

/** Angle brackets are followed so deep; deeper ones are comparisons or hostile. */
const deepestAngles = 64;

const includeLine = /[ \t]*include(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/y;

/**
 * The scan of a C, C++ or CUDA text. Linear in its length whatever it holds; comments, strings and characters count for
 * nothing.
 */
export function scanSource(text: string): SourceScan {
  const includes: string[] = [];
  const launched = new Set<string>();
  const defined = new Set<string>();
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
  const calls = new Set<string>();

  const endStatement = (): void => {
    angles.length = 0;
    awaitingKernel = false;
    kernel = undefined;
    parametersRead = false;
    parametersDepth = -1;
  };

  const { tokens } = lex(text);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.kind === TokenKind.String || token.kind === TokenKind.Character) continue;
    if (token.kind === TokenKind.Identifier) {
      last = token.text;
      if (last === '__global__') {
        endStatement();
        awaitingKernel = true;
      } else if (/^(?:cuda|hip)Launch/.test(last) && last.includes('Kernel')) {
        launchDepth = depth;
        launchArguments = last.startsWith('cudaLaunchKernelEx') ? 2 : 1;
      }
      continue;
    }
    switch (token.text) {
      case '#': {
        const included = token.lineStart ? includeAt(text, token.end) : undefined;
        if (included === undefined) break;
        includes.push(included);
        while (tokens[at + 1]?.lineStart === false) at++;
        continue;
      }
      case '<<<':
        if (last !== '') launched.add(last);
        last = '';
        break;
      case '<':
        if (angles.length < deepestAngles) angles.push({ name: last, depth });
        last = '';
        break;
      case '>':
        // Within its own parentheses it compares.
        last = angles.at(-1)?.depth === depth ? angles.pop()!.name : '';
        break;
      case '(':
        if (last !== '') calls.add(last);
        if (awaitingKernel && kernel === undefined && last !== '' && !/^__\w+__$/.test(last)) {
          kernel = last;
          parametersDepth = depth;
        }
        depth++;
        last = '';
        break;
      case ')':
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
      case ',':
        if (launchDepth >= 0 && depth === launchDepth + 1 && launchArguments > 0) {
          if (last !== '') launched.add(last);
          launchArguments--;
        }
        last = '';
        break;
      case '{':
        if (kernel !== undefined && parametersRead) defined.add(kernel);
        endStatement();
        last = '';
        break;
      case ';':
      case '}':
        endStatement();
        depth = 0;
        launchDepth = -1;
        last = '';
        break;
      default:
        last = '';
    }
  }
  return { includes, launched, defined, calls: ` ${[...calls].join(' ')} `, main: calls.has('main') };
}

/** The path of an `#include` whose `#` ends at `from`; only its line is searched. */
function includeAt(text: string, from: number): string | undefined {
  includeLine.lastIndex = from;
  const [, quoted, angled] = includeLine.exec(text) ?? [];
  return quoted ?? angled;
}
