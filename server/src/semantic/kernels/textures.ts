// How often a thread of a kernel fetches from textures and surfaces, or moves memory in inline assembly that was not
// read: it is traffic like any other, though no address of theirs is followed.
import type { FunctionDecl, Stmt } from '../../syntax/ast';
import { calleeName, type AnySyntax, childrenOf, isConditionLoop, type Program } from '../language';
import { literalTrips } from './arithmetic';

/** Iterations of the loops around a fetch, where literals say them. */
type FetchLoops = readonly (number | undefined)[];
interface Fetch {
  readonly loops: FetchLoops;
  readonly assembly?: Stmt;
}

const fetch = /^(tex[123]D|texCubemap|surf[123]D|surfCubemap)/;
/** PTX that moves global memory, 16 bytes a thread or less (PTX ISA, "Data Movement and Conversion Instructions"). */
const moves = /\b(ld|ldu|st|red|atom)(\.\w+)*\.global\b|\bcp\.async\.c[ag]\b/;
const movesWide = /\.v4\.[bufs]32\b|\.v2\.[bufs]64\b|\.b128\b|\bcp\.async\.cg\b/;
const deepestCall = 3;
/** More fetches than these are not distinguished. */
const mostFetches = 64;
const known = new WeakMap<Stmt, readonly Fetch[]>();

/** The fetches and moves of the kernel and of the functions that it calls, each as the loops around it. */
export function textureFetches(fn: FunctionDecl, program: Program, lost: ReadonlySet<object>): readonly FetchLoops[] {
  return fetchesOf(fn, program, 0)
    .filter(({ assembly }) => !assembly || lost.has(assembly))
    .map(({ loops }) => loops);
}

function fetchesOf({ body }: FunctionDecl, program: Program, depth: number): readonly Fetch[] {
  if (!body) return [];
  const before = known.get(body);
  if (before) return before;
  const found: Fetch[] = [];
  const visit = (node: AnySyntax, loops: FetchLoops): void => {
    if (found.length >= mostFetches) return;
    const name = node.kind === 'call' ? calleeName(node) : undefined;
    if (node.kind === 'asm' && moves.test(node.template))
      // A fetch counts four bytes a thread.
      found.push(...Array<Fetch>(movesWide.test(node.template) ? 4 : 1).fill({ loops, assembly: node }));
    if (name !== undefined && fetch.test(name)) found.push({ loops });
    else if (name !== undefined && depth < deepestCall) {
      const callee = program.functions(name).find((fn) => fn.device && fn.body);
      if (callee)
        for (const inner of fetchesOf(callee, program, depth + 1))
          found.push({ ...inner, loops: [...loops, ...inner.loops] });
    }
    const inner = isConditionLoop(node) || node.kind === 'rangeFor' ? [...loops, literalTrips(node)] : loops;
    for (const child of childrenOf(node)) visit(child, inner);
  };
  visit(body, []);
  known.set(body, found);
  return found;
}
