// A kernel that goes on to make the vectors of its blocks and leaves their product to cuBLAS: its edits, and those of
// its launches.
import type { Expr, LambdaExpr, LaunchExpr, Stmt, VarDecl } from '../../../syntax/ast';
import type { Edit } from '../../span';
import { calleeName, constantPolynomial, type Fn, type LaunchSite, localsOf, sameExpr, some } from '../../language';
import { isNamedElsewhere, isPure } from '../../program';
import { deletionOf, freshNamesOf, parenthesised } from '../writing/edits';
import { isStartedOtherwise } from '../launchShapes/launchGrids';
import { extentsAlongX } from './coverage';
import type { Gemm, Split } from './factors';
import { passedTo } from './sizes';

/** `measure([&] { … })`, where the function does nothing with the lambda but call it. */
export function isOnlyCalled(lambda: LambdaExpr, host: Fn): boolean {
  const call = host.parent(lambda);
  if (call?.kind !== 'call' || !/^\[\s*&\s*\]/.test(host.text(lambda)) || lambda.params.length > 0) return false;
  const [callee, ...others] = host.program.functions(calleeName(call) ?? '');
  const param = callee?.params[call.args.indexOf(lambda)];
  if (!callee?.body || others.length > 0 || !param) return false;
  const locals = localsOf(callee);
  const taken = locals.all.find(({ parameter }) => parameter === param);
  const isCallee = (use: Expr): boolean => {
    const around = locals.parent(use);
    return around?.kind === 'call' && around.callee === use;
  };
  return !!taken && taken.writes.length === 0 && taken.uses.every(isCallee);
}

/** Why the vectors of a launch cannot be laid out before it. */
export function unfitShape(site: LaunchSite, gemm: Gemm, split: Split, anchor: Stmt, fn: Fn): string | undefined {
  const { host, launch } = site;
  const extents = extentsAlongX(site);
  if (!extents?.every((each) => isKnownBefore(each, anchor, host))) return 'the grid may change, or has a second axis';
  const threads = host.index(extents[1])?.number;
  if (threads === undefined) return 'the number of threads per block is not known';
  if (!split.isWhole(threads)) return 'the threads of a block may add up less or more than all products';
  const pitch = passedTo(gemm.factors[0].leading, launch, fn, host);
  const gap = pitch?.plus(constantPolynomial(threads), -1).number;
  return gap !== undefined && gap < 0 ? 'the rows of the matrix overlap' : undefined;
}

function isKnownBefore(extent: Expr, anchor: Stmt, host: Fn): boolean {
  return !some(extent, (node) => {
    const variable = node.kind === 'name' ? host.local(node)?.variable : undefined;
    return !!variable && variable.start >= anchor.start;
  });
}

/** Elements of the vectors of all blocks; undefined where launches differ in them. */
export function sizesOfVectors(sites: readonly LaunchSite[]): string | undefined {
  const [first, ...others] = sites.map(extentsAlongX);
  if (!first || !others.every((other) => other?.every((each, at) => sameExpr(each, first[at]!)))) return undefined;
  return first.map((each) => parenthesised(sites[0]!.host, each)).join(' * ');
}

/** The launch of what is left of the kernel. */
export function launchText(gemm: Gemm, launch: LaunchExpr, host: Fn, vectors: string): string {
  const { factors, result, params } = gemm;
  const passed = launch.args.flatMap((arg, at) => {
    const name = params[at]!.name;
    return name === result.root.name ? [vectors] : name === factors[0].root!.name ? [] : [host.text(arg)];
  });
  const head = host.text({ start: launch.start, end: launch.args[0]!.start });
  return `${head}${passed.join(', ')});`;
}

/** Does something other than the launches in this file use the kernel, or could by a declaration? */
export function isUsedElsewhere(fn: Fn): boolean {
  const { decl, file, program, unit } = fn;
  const isUsed = isStartedOtherwise(fn) || isNamedElsewhere(fn) || program.functions(decl.name).length > 1;
  return isUsed || !!decl.externC || file.uri !== unit.files[0]!.uri;
}

/** The edits of the kernel: its vectors take the place of the result. */
export function withoutProduct(gemm: Gemm, { vector, loop }: Split, fn: Fn): Edit[] | string {
  if (isUsedElsewhere(fn)) return 'something else uses the kernel';
  const vectors = freshNamesOf(fn)('vectors');
  const [out, matrix] = [gemm.result.root, gemm.factors[0].root!].map(({ parameter }) =>
    fn.decl.params.indexOf(parameter!),
  );
  const { name, nameStart } = fn.decl.params[out!]!;
  const [before, after] = [fn.decl.params[matrix! - 1], fn.decl.params[matrix! + 1]];
  const dropped = after
    ? { start: fn.decl.params[matrix!]!.start, end: after.start }
    : { start: before!.end, end: fn.decl.params[matrix!]!.end };
  const place = `${vectors}[blockIdx.x * blockDim.x + threadIdx.x]`;
  return [
    { at: fn.span({ start: nameStart, end: nameStart + name.length }), newText: vectors },
    { at: fn.span(dropped), newText: '' },
    ...[...unusedElsewhere(loop, fn), ...(loop.pragmas ?? [])].map((each) => deletionOf(fn, each)),
    { at: fn.span(loop), newText: `${place} = ${vector.name}[threadIdx.x];` },
  ];
}

/** Declarations of what only the loop uses. */
function unusedElsewhere(loop: Stmt, fn: Fn): Stmt[] {
  const isUnused = (variable: VarDecl): boolean => {
    const local = fn.locals.all.find((each) => each.variable === variable);
    return (
      !!local && (!variable.init || isPure(variable.init, fn)) && local.uses.every((use) => fn.isInside(use, loop))
    );
  };
  return fn.locals.nodes.filter(
    (node): node is Extract<Stmt, { kind: 'decl' }> =>
      node.kind === 'decl' && !fn.isInside(node, loop) && node.vars.every(isUnused),
  );
}
