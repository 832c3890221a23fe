// Writes the call of cuBLAS in place of the launches of a kernel that computes a matrix product.
import type { Expr, LaunchExpr, Stmt } from '../../../syntax/ast';
import type { Edit } from '../../span';
import {
  append,
  calleeName,
  type Fn,
  type Index,
  isConditionLoop,
  type LaunchSite,
  sameExpr,
  some,
  indentAround,
  isBareBody,
  writtenAround,
  argumentOf,
} from '../../language';
import { indentOf, putAfter, putBefore } from '../../flow';
import { hasMacro, leavings } from '../../program';
import { freshNamesOf, longestLine } from '../writing/edits';
import { isCovered } from './coverage';
import { isOnlyDefinition } from './elementwise';
import { isErrorCheck } from './errorChecks';
import type { Gemm, Matrix } from './factors';
import type { ProductFact, Recut } from '../model';
import { passedTo, sizeText } from './sizes';
import { isOnlyCalled, isUsedElsewhere, launchText, sizesOfVectors, unfitShape, withoutProduct } from './splits';

/** @param rest the arguments from the number of rows on */
export function callText(
  type: ProductFact['type'],
  firstTransposed: boolean,
  secondTransposed: boolean,
  rest: readonly string[],
  handle = 'handle',
): string {
  const op = (transposed: boolean): string => `CUBLAS_OP_${transposed ? 'T' : 'N'}`;
  return `cublas${letterOf(type)}gemm(${[handle, op(firstTransposed), op(secondTransposed), ...rest].join(', ')})`;
}
const letterOf = (type: ProductFact['type']): string => ({ float: 'S', double: 'D', half: 'H' })[type];

/** The edits, or why there are none: a clause that follows on "no fix is offered:". */
export function callsOf(gemm: Gemm | string, fn: Fn): Recut | string {
  if (typeof gemm === 'string') return gemm;
  const sites = fn.launchSites(fn.decl.name);
  if (sites.length === 0) return 'this file does not launch the kernel';
  if (!isOnlyDefinition(fn.decl, fn)) return 'several kernels have its name';
  const byHost = new Map<string, Place[]>();
  for (const site of sites) {
    const place = placeOf(site, gemm, fn);
    if (typeof place === 'string') return place;
    append(byHost, site.host.decl.key, place);
  }
  const edits: Edit[] = [];
  for (const places of byHost.values()) {
    const changed = replaced(places, gemm);
    if (typeof changed === 'string') return changed;
    edits.push(...changed);
  }
  const include = includeIn(fn);
  const { split } = gemm;
  if (split) {
    const kept = withoutProduct(gemm, split, fn);
    const title = `Store the vectors; call cublas${letterOf(gemm.type)}gemm (-lcublas; changes rounding)`;
    return typeof kept === 'string' ? kept : { edits: [...edits, ...kept, ...(include ? [include] : [])], title };
  }
  const removed = removalOf(fn);
  // One edit where the kernel is the first thing of its file.
  if (include && removed && include.at.start === removed.at.start) edits.push({ ...removed, newText: include.newText });
  else edits.push(...[include, removed].filter((edit) => edit !== undefined));
  return { edits, title: `Call cublas${letterOf(gemm.type)}gemm (link -lcublas; changes rounding)` };
}

/** A launch with the statement that the handle is made before: its outermost loop, or itself. */
interface Place extends LaunchSite {
  readonly statement: Stmt;
  readonly anchor: Stmt;
  readonly list: readonly Stmt[];
}

function placeOf(site: LaunchSite, gemm: Gemm, fn: Fn): Place | string {
  const { host, launch } = site;
  const locals = host.locals;
  if (host.file.uri !== fn.file.uri) return 'a launch is in another file';
  if (host.decl.global || host.decl.device) return 'the device launches it';
  const statement = locals.parent(launch);
  const around = [...host.around(launch)];
  const lambdas = around.filter((each) => each.kind === 'lambda');
  if (!lambdas.every((each) => isOnlyCalled(each, host))) return 'a launch is in a lambda';
  const isWritten = statement?.kind === 'expr' && /^[\w:]+\s*<<</.test(host.text(statement));
  if (!isWritten || hasMacro(launch) || around.some(({ macro }) => macro))
    return 'a launch comes from a macro or is in an expression';
  if (launch.args.length !== fn.decl.params.length || ![...launch.config, ...launch.args].every(isPlain))
    return 'an argument of a launch does more than name a value';
  const args = gemm.factors.flatMap(({ root }) => (root ? [argumentOf(root.parameter, fn.decl, launch.args)!] : []));
  const result = argumentOf(gemm.result.root.parameter, fn.decl, launch.args)!;
  if (args.some((arg) => sameExpr(arg, result))) return 'the product is stored in one of its factors';
  if (around.some((each) => 'pragmas' in each && each.pragmas?.length)) return 'a pragma is around a launch';
  if (locals.nodes.some(({ kind }) => kind === 'goto' || kind === 'label')) return 'a jump could pass by the handle';
  if (locals.nodes.some((node) => /StreamBeginCapture/.test(calleeName(node) ?? ''))) return 'a graph is captured';
  const covered = gemm.covered.every((range) => {
    const extent = passedTo(range.extent, launch, fn, host);
    return extent && isCovered(site, range, extent);
  });
  if (!covered) return 'the grid may not have a thread for each element';
  const holder = around.slice(around.findLastIndex(({ kind }) => kind === 'lambda') + 1);
  const outermost = holder.find(({ kind }) => kind === 'expr' || kind === 'decl') ?? statement;
  const anchor = around.findLast((each) => isConditionLoop(each) || each.kind === 'rangeFor') ?? outermost;
  const unfit = gemm.split && unfitShape(site, gemm, gemm.split, anchor as Stmt, fn);
  if (unfit) return unfit;
  const list = locals.parent(anchor);
  if (list?.kind !== 'block') return 'a launch has no block of statements around it';
  if (!indentOf(host, anchor.start)) return 'other code is on the line of a launch';
  return { ...site, statement, anchor: anchor as Stmt, list: list.body };
}

/** A name, a number or arithmetic of them: it can be written again, anywhere near the launch. */
function isPlain(expr: Expr): boolean {
  return !some(
    expr,
    (node) =>
      /^(assign|update|launch|lambda|new|delete|opaque)$/.test(node.kind) ||
      (node.kind === 'call' && calleeName(node) !== 'dim3'),
  );
}

/** The edits of one function that launches. */
function replaced(places: readonly Place[], gemm: Gemm): Edit[] | string {
  const [first] = places;
  const { host, list } = first!;
  if (places.some((place) => place.list !== list)) return 'launches are in several blocks';
  const at = places.map(({ anchor }) => list.indexOf(anchor)).sort((a, b) => a - b);
  const served = list.slice(at[0], at.at(-1)! + 1);
  if (
    served.some((each) => ['return', 'throw', 'break', 'continue'].some((way) => leavings(each).has(way as 'return')))
  )
    return 'code around a launch returns early and would leave the handle open';
  if (served.some((each) => some(each, (node) => /^cu(da)?(SetDevice|Ctx\w+)$/.test(calleeName(node) ?? ''))))
    return 'the device changes between launches';
  const fresh = freshNamesOf(host);
  const handle = fresh('handle');
  const vectors = gemm.split && fresh('vectors');
  const { stream, isFixed } = streamOf(places, served, host);
  const constants = new Map<string, string>();
  if (vectors && !isFixed) return 'launches in several streams would share the vectors';
  const size = sizesOfVectors(places);
  if (vectors && size === undefined) return 'the launches have different grids';
  const edits: Edit[] = [];
  for (const { launch, statement } of places) {
    const streams: string[] = isFixed ? [] : [`cublasSetStream(${handle}, ${streamText(launch, host)});`];
    const scalar = (scale: Expr, word: string): string => {
      const text =
        scale.kind === 'number' ? literalOf(scale.value, gemm.type) : textOfScalar(scale, launch, gemm, host);
      const name = fresh(
        scale.kind !== 'number' ? word : scale.value === 1 ? 'one' : scale.value === 0 ? 'zero' : word,
      );
      if (scale.kind === 'number' || isSingle(places)) constants.set(name, text);
      else streams.push(`const ${typeNames[gemm.type]} ${name} = ${text};`);
      return `&${name}`;
    };
    const [alpha, beta] = [scalar(gemm.alpha, 'alpha'), scalar(gemm.beta, 'beta')];
    if (vectors) streams.push(launchText(gemm, launch, host, vectors));
    const call = gemmText(gemm, launch, host, [alpha, beta], handle, vectors);
    const locals = host.locals;
    const scoped = !isBareBody(statement, locals) && streams.some((line) => line.startsWith('const'));
    const newline = host.newline;
    const outer = indentAround(host, statement);
    const indent = scoped ? outer + host.indentStep : outer;
    const lines = [...streams, `${call};`].map((line) => wrapped(line, indent, newline));
    const body = lines.join(newline + indent);
    if (streams.length > 0 && !scoped)
      edits.push(...writtenAround(host, statement, { before: lines.slice(0, -1), instead: lines.at(-1)! }));
    else
      edits.push({
        at: host.span(statement),
        newText: scoped ? `{${newline}${indent}${body}${newline}${outer}}` : body,
      });
  }
  const declared = [...constants].map(([name, text]) => `${name} = ${text}`).join(', ');
  const [from, to] = [served[0]!, lastChecked(list, at.at(-1)!)];
  const before = putBefore(host, from.start, [
    `cublasHandle_t ${handle};`,
    `cublasCreate(&${handle});`,
    ...(stream ? [`cublasSetStream(${handle}, ${stream});`] : []),
    ...(declared ? [`const ${typeNames[gemm.type]} ${declared};`] : []),
    ...(vectors
      ? [`${typeNames[gemm.type]} *${vectors};`, `cudaMalloc(&${vectors}, sizeof(${typeNames[gemm.type]}) * ${size});`]
      : []),
  ]);
  const freed = vectors ? [`cudaFree(${vectors});`] : [];
  const after = putAfter(host, to.end, from.start, [...freed, `cublasDestroy(${handle});`]);
  return before && after ? [before, ...edits, after] : 'other code is on the line of a launch';
}

const typeNames = { float: 'float', double: 'double', half: '__half' } as const;

function literalOf(value: number, type: ProductFact['type']): string {
  const text = Number.isInteger(value) ? `${value}.0` : `${value}`;
  return type === 'double' ? text : type === 'float' ? `${text}f` : `__float2half(${text}f)`;
}

/** One launch outside of loops: the handle is made right before it. */
const isSingle = (places: readonly Place[]): boolean =>
  places.length === 1 && places[0]!.anchor === places[0]!.statement;

/** The last of the checks for errors that come next, which stay beside their launch. */
function lastChecked(list: readonly Stmt[], at: number): Stmt {
  let last = at;
  for (let next = at + 1; next < list.length; next++) {
    if (!isErrorCheck(list[next]!) || leavings(list[next]!).size > 0) break;
    last = next;
  }
  return list[last]!;
}

/** The stream of all launches, where the handle can be given it once. */
function streamOf(
  places: readonly Place[],
  served: readonly Stmt[],
  host: Fn,
): { readonly stream?: string; readonly isFixed: boolean } {
  const [first, ...others] = places.map(({ launch }) => launch.config[3]);
  const isDefault = (stream: Expr | undefined): boolean => !stream || (stream.kind === 'number' && stream.value === 0);
  if ([first, ...others].every(isDefault)) return { isFixed: true };
  if (!first || !others.every((other) => other && sameExpr(other, first))) return { isFixed: false };
  const local = first.kind === 'name' ? host.local(first) : undefined;
  const isWithin = (at: number): boolean => at >= served[0]!.start && at < served.at(-1)!.end;
  const isHeld =
    local && !isWithin(local.variable?.start ?? -1) && !local.writes.some(({ node }) => isWithin(node.start));
  return isHeld || isSingle(places) ? { stream: host.text(first), isFixed: true } : { isFixed: false };
}

function streamText({ config }: LaunchExpr, host: Fn): string {
  return config[3] ? host.text(config[3]) : '0';
}

function textOfScalar(scale: Expr, launch: LaunchExpr, gemm: Gemm, host: Fn): string {
  const param = scale.kind === 'name' ? gemm.params.findIndex(({ name }) => name === scale.name) : -1;
  return host.text(launch.args[param]!);
}

function gemmText(
  gemm: Gemm,
  launch: LaunchExpr,
  host: Fn,
  [alpha, beta]: readonly string[],
  handle: string,
  vectors?: string,
): string {
  const { type, factors, ranges, terms, result, params } = gemm;
  const [first, second] = factors;
  const size = (of: Index): string => sizeText(of, launch, gemm, host);
  const pointer = ({ root }: Pick<Matrix, 'root'>): string =>
    root ? host.text(launch.args[params.findIndex(({ name }) => name === root.name)]!) : vectors!;
  return callText(
    type,
    first.transposed,
    second.transposed,
    [
      ...ranges.map(({ extent }) => size(extent)),
      size(terms),
      alpha!,
      pointer(first),
      size(first.leading),
      pointer(second),
      size(second.leading),
      beta!,
      pointer(result),
      size(result.leading),
    ],
    handle,
  );
}

/** Long calls go on below their first argument. */
function wrapped(line: string, indent: string, newline: string): string {
  if (indent.length + line.length <= longestLine) return line;
  const cut = line.lastIndexOf(', ', longestLine - indent.length - 2) + 1;
  return `${line.slice(0, cut)}${newline}${indent}${' '.repeat(line.indexOf('(') + 1)}${line.slice(cut + 1)}`;
}

/** After the last include that is always read; undefined where the header is included. */
function includeIn(fn: Fn): Edit | undefined {
  const { file, unit } = fn;
  if (unit.files.some(({ includes }) => includes.some(({ path }) => /(^|\/)cublas_v2\.h$/.test(path))))
    return undefined;
  const depthAt = (offset: number): number =>
    [...file.text.slice(0, offset).matchAll(/^[ \t]*#[ \t]*(if|endif)/gm)].reduce(
      (depth, [, word]) => depth + (word === 'if' ? 1 : -1),
      0,
    );
  const last = file.includes.filter(({ start }) => depthAt(start) === 0).at(-1);
  const end = last ? file.text.indexOf('\n', last.end - 1) + 1 : 0;
  const start = last && end === 0 ? file.text.length : end;
  return { at: { uri: file.uri, start, end: start }, newText: `#include <cublas_v2.h>${fn.newline}` };
}

/** The kernel with its comment; undefined where something else uses it, or could by a declaration. */
function removalOf(fn: Fn): Edit | undefined {
  const { decl, file } = fn;
  if (isUsedElsewhere(fn)) return undefined;
  const [from, to] = [decl.base + decl.start, decl.base + decl.end];
  // With the lines of comment above it, but for what the file begins with.
  const lead = /(^|\n)((?:[ \t]*\/\/[^\n]*\n)*)([ \t]*)$/.exec(file.text.slice(0, from));
  if (!lead) return undefined;
  const start = from - lead[3]!.length - (lead[1] === '' ? 0 : lead[2]!.length);
  const rest = /^[ \t]*(?:\r?\n)?(?:[ \t]*\r?\n)?/.exec(file.text.slice(to))!;
  return { at: { uri: file.uri, start, end: to + rest[0].length }, newText: '' };
}
