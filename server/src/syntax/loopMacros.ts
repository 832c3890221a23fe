// Kernel-loop macros whose definition is unknown (`CUDA_KERNEL_LOOP(i, n) { … }`), known by their use: written out as
// the grid-stride loop that they stand for.
import { makeToken, TokenKind, type Token } from './tokens';

/** Words of the language that a block may follow in this way. */
const KEYWORD = /^(?:if|for|while|switch|catch|constexpr|requires|noexcept|decltype|alignas|sizeof|return|asm)$/;
/** Of known libraries, with one statement behind it. */
const LOOP_NAME = /^(?:CUDA|GPU|XPU)_(?:[123]D_|AXIS_)?KERNEL_(?:BLOCK_)?LOOP(?:_TYPE|_T|_LARGE)?$/;
/** mmcv's loop over blocks. */
const BLOCK_NAME = /^CUDA_2D_KERNEL_BLOCK_LOOP$/;
const TYPE_WORD =
  /^(?:unsigned|signed|const|char|short|int|long|size_t|ssize_t|ptrdiff_t|u?int(?:8|16|32|64|_fast32|_fast64)?_t|auto|[a-z]\w*_t|[A-Z]\w*|[a-z]\w*type)$/;
type Axis = 'x' | 'y' | 'z';

interface Loop {
  readonly type: readonly Token[];
  readonly variable: Token;
  readonly bound: readonly Token[];
  readonly axis: Axis;
  /** A block's threads all take the same iterations. */
  readonly byBlock: boolean;
}

/**
 * The tokens with each such macro in device code as `for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i +=
 * blockDim.x * gridDim.x)`.
 * It is one where a call, which no definition has expanded, stands as a statement, names a fresh variable first (or
 * behind a type) and has a block behind it, or is a known library's and has a statement behind it. What the macro calls
 * its limit is taken for the loop's: if it is none, the lanes' indices are the same. The tokens put in stand where the
 * macro's name does.
 */
export function writeOutLoopMacros(tokens: readonly Token[]): readonly Token[] {
  let out: Token[] | undefined;
  /** Depth of braces at which `__global__` or `__device__` stood, of the function that is open. */
  let deviceAt = -1;
  let braces = 0;
  const named = new Set<string>();
  const variables = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.text === '{') braces++;
    else if (token.text === '}') {
      braces--;
      if (braces <= deviceAt) deviceAt = -1;
    } else if (token.text === ';' && braces === deviceAt) deviceAt = -1;
    else if ((token.text === '__global__' || token.text === '__device__') && deviceAt < 0) {
      deviceAt = braces;
      named.clear();
      variables.clear();
    } else if (token.kind === TokenKind.Identifier) {
      const call =
        deviceAt >= 0 && braces > deviceAt && !KEYWORD.test(token.text) && startsStatement(tokens[at - 1])
          ? readLoops(tokens, at)
          : undefined;
      if (call?.loops.every(({ variable }) => variables.has(variable.text) || !named.has(variable.text))) {
        out ??= tokens.slice(0, at);
        for (const loop of call.loops) {
          variables.add(loop.variable.text);
          pushLoop(out, token, loop);
        }
        at = call.end;
        continue;
      }
      named.add(token.text);
    }
    out?.push(token);
  }
  return out ?? tokens;
}

function startsStatement(before: Token | undefined): boolean {
  return before !== undefined && /^(?:[{};:)]|else|do)$/.test(before.text);
}

/** The loops that the call at `at` stands for, and the index of its closing parenthesis. */
function readLoops(
  tokens: readonly Token[],
  at: number,
): { readonly loops: readonly Loop[]; readonly end: number } | undefined {
  if (tokens[at + 1]?.text !== '(') return undefined;
  const args: Token[][] = [[]];
  let depth = 0;
  let end = at + 1;
  for (; end < tokens.length && end < at + 200; end++) {
    const { text } = tokens[end]!;
    if (text === ';' || text === '{' || text === '}') return undefined;
    if (text === '(' || text === '[') {
      if (depth++ === 0) continue;
    } else if ((text === ')' || text === ']') && --depth === 0) break;
    if (text === ',' && depth === 1) args.push([]);
    else args.at(-1)!.push(tokens[end]!);
  }
  const after = tokens[end + 1];
  const { text: name } = tokens[at]!;
  if (after === undefined || depth !== 0) return undefined;
  if (
    after.text !== '{' &&
    !(LOOP_NAME.test(name) && (after.kind === TokenKind.Identifier || after.text === '*' || after.text === '('))
  )
    return undefined;
  const byBlock = BLOCK_NAME.test(name);
  const variable = (arg: readonly Token[] | undefined): Token | undefined =>
    arg?.length === 1 && arg[0]!.kind === TokenKind.Identifier ? arg[0] : undefined;
  const isType = (arg: readonly Token[] | undefined): boolean =>
    arg !== undefined &&
    arg.length > 0 &&
    arg.every((each) => TYPE_WORD.test(each.text) || each.text === '::' || each.text === 'std');
  const [first, second, third, fourth] = args;
  const own = variable(first);
  if (second === undefined || second.length === 0 || args.length > 4) return undefined;
  // `…_LOOP_T(type, i, n)`
  if (args.length === 3 && isType(first) && variable(second) && !(own && isType(third)))
    return { loops: [{ type: first!, variable: second[0]!, bound: third!, axis: 'x', byBlock }], end };
  if (!own) return undefined;
  if (args.length === 4) {
    // `…_2D_…LOOP(i, n, j, m)`
    const inner = variable(third);
    return inner && fourth!.length > 0
      ? {
          loops: [
            { type: [], variable: own, bound: second, axis: 'x', byBlock },
            { type: [], variable: inner, bound: fourth!, axis: 'y', byBlock },
          ],
          end,
        }
      : undefined;
  }
  const letter = third?.length === 1 ? third[0]!.text.toLowerCase() : '';
  const axis: Axis = letter === 'y' || letter === 'z' ? letter : 'x';
  return {
    loops: [
      { type: isType(third) && !/^[xyz]$/.test(letter) ? third! : [], variable: own, bound: second, axis, byBlock },
    ],
    end,
  };
}

function pushLoop(out: Token[], name: Token, { type, variable, bound, axis, byBlock }: Loop): void {
  const put = (text: string, kind = TokenKind.Punctuator): void => {
    const made = makeToken(kind, text, name.start, name.end, true, false, -1, true);
    made.invocation = name.invocation;
    made.written = name.written;
    out.push(made);
  };
  const word = (text: string): void => put(text, TokenKind.Identifier);
  const member = (of: string): void => {
    word(of);
    put('.');
    word(axis);
  };
  const index = (): void => {
    out.push({ ...variable });
  };
  word('for');
  put('(');
  if (type.length > 0) out.push(...type);
  else word('int');
  out.push(variable);
  put('=');
  member('blockIdx');
  if (!byBlock) {
    put('*');
    member('blockDim');
    put('+');
    member('threadIdx');
  }
  put(';');
  index();
  put('<');
  put('(');
  out.push(...bound);
  put(')');
  put(';');
  index();
  put('+=');
  if (!byBlock) {
    member('blockDim');
    put('*');
  }
  member('gridDim');
  put(')');
}
