// Host loops that launch the same short kernels on each iteration, and the graph that one iteration makes.
import { titleWith } from '../../excerpt';
import type { CallExpr, ForStmt, FunctionDecl, LaunchExpr, Stmt } from '../../../syntax/ast';
import {
  type Fn,
  workOf,
  launchesIn,
  launchOf,
  launchSiteAt,
  localsOf,
  sameExpr,
  statementsOf,
  type AnySyntax,
  some,
  walk,
} from '../../language';
import { loopRef, tripsOf, writesIn } from '../../flow';
import { freshNamesOf } from '../writing/edits';
import { isErrorCheck } from './errorChecks';
import type { Recut, ReplayFact } from '../model';
import { hasMacro, isPureCall, leavings } from '../../program';

/** A graph of one launch gains nothing: two and more do (docs/measurements/h200-rule-pairs.json). */
const fewLaunches = 2;
/** What a graph costs to be made, some twenty launches by hand. */
const fewTrips = 10;
/** Places of memory that a short kernel touches, as they are written. */
const mostAccesses = 24;

/** The loops of a host function whose iterations are one graph, in the order of the text. */
export function* findReplays(fn: Fn): Iterable<ReplayFact> {
  if (!fn.decl.body || fn.decl.global || launchesIn(fn.decl).length < fewLaunches) return;
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'for' || node.macro) continue;
    const fact = replayOf(node, fn);
    if (fact) yield fact;
  }
}

function replayOf(loop: ForStmt, fn: Fn): ReplayFact | undefined {
  const launches: LaunchExpr[] = [];
  for (const statement of statementsOf(loop.body)) {
    const launch = launchOf(statement);
    if (launch) launches.push(launch);
    else if (!isErrorCheck(statement)) return undefined;
  }
  if (launches.length < fewLaunches || !launches.every((launch) => isSame(launch, loop, fn))) return undefined;
  const kernels = launches.flatMap((launch) => launchSiteAt(fn, launch).kernel ?? []);
  if (kernels.length < launches.length) return undefined;
  const works = launches.map((launch, at) => workOf(kernels[at]!, launch.args, fn.decl, fn.program));
  if (!works.every(({ fn: decl }) => isShort(decl, fn))) return undefined;
  if ((tripsOf(loop, fn) ?? Infinity) < fewTrips) return undefined;
  const { headerAt, text } = loopRef(loop, fn);
  const captured = capturedOf(loop, launches, fn);
  return {
    kind: 'replay',
    at: fn.span(launches[0]!),
    kernels: [...new Set(kernels.map(({ name }) => name))],
    launches: launches.map((launch) => fn.span(launch)),
    headerAt,
    text,
    ...(typeof captured === 'string' ? { why: captured } : { captured }),
  };
}

/** Is the launch the same on each iteration of the loop? */
function isSame(launch: LaunchExpr, loop: ForStmt, fn: Fn): boolean {
  const differs = (node: AnySyntax): boolean => {
    if (/^(assign|update|launch|lambda|new|delete|opaque)$/.test(node.kind)) return true;
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    return node.kind === 'call' ? !isPureCall(node, fn) : !!local && writesIn(local, loop, fn);
  };
  return ![...launch.config, ...launch.args].some((part) => some(part, differs));
}

/** A kernel without loops and calls that touches few places: with few threads it takes a microsecond or two. */
function isShort(kernel: FunctionDecl, fn: Fn): boolean {
  const locals = localsOf(kernel);
  let accesses = 0;
  let short = true;
  walk(kernel.body, (node) => {
    if (/^(for|while|do|rangeFor|asm|goto|launch)$/.test(node.kind)) short = false;
    if (node.kind === 'index' || (node.kind === 'unary' && node.op === '*')) accesses++;
    if (node.kind === 'call' && node.callee.kind === 'name' && locals.of(node.callee)) accesses++;
    else if (node.kind === 'call' && !isHarmless(node, fn.inside(kernel))) short = false;
    return short;
  });
  return short && accesses <= mostAccesses;
}

/** A barrier, or a call that does nothing but compute. */
function isHarmless(node: CallExpr, fn: Fn): boolean {
  return isPureCall(node, fn) || isBarrier(node.callee) || fn.index(node) !== undefined;
}

function isBarrier(callee: { readonly kind: string; readonly name?: string }): boolean {
  return callee.kind === 'name' && /^(__sync(threads|warp)|atomic\w+|__shfl\w*)$/.test(callee.name ?? '');
}

/** The edits, or why there are none: a clause that follows on "no fix is offered:". */
function capturedOf(loop: ForStmt, launches: readonly LaunchExpr[], fn: Fn): Recut | string {
  const stream = launches[0]!.config[3];
  if (stream?.kind !== 'name')
    return 'the launches are in the default stream, which cannot be captured: give them a stream';
  if (!launches.every(({ config }) => config[3] && sameExpr(config[3], stream)))
    return 'the launches are in several streams';
  if (leavings(loop.body).size > 0) return 'an error check leaves the loop and would leave the capture open';
  if (hasMacro(loop) || loop.pragmas?.length) return 'a macro or pragma is in the loop';
  const parent = fn.parent(loop);
  if (parent?.kind !== 'block') return 'the loop is the only statement of another loop';
  const fresh = freshNamesOf(fn);
  const [graph, executable] = [fresh('graph'), fresh('graphExec')];
  const indent = fn.indent(loop.start);
  const inner = indent + fn.indentStep;
  const name = fn.text(stream);
  const header = fn.text({ start: loop.start, end: loop.headerEnd }).trimEnd();
  const lines = [
    `cudaGraph_t ${graph};`,
    `cudaGraphExec_t ${executable};`,
    `cudaStreamBeginCapture(${name}, cudaStreamCaptureModeThreadLocal);`,
    ...bodyLines(loop.body, fn),
    `cudaStreamEndCapture(${name}, &${graph});`,
    `cudaGraphInstantiateWithFlags(&${executable}, ${graph}, 0);`,
    `${header} {${fn.newline}${inner}cudaGraphLaunch(${executable}, ${name});${fn.newline}${indent}}`,
    `cudaGraphExecDestroy(${executable});`,
    `cudaGraphDestroy(${graph});`,
  ];
  return {
    edits: [{ at: fn.span(loop), newText: lines.join(`${fn.newline}${indent}`) }],
    title: titleWith(name, (stream) => `Launch a graph of one iteration (\`${stream}\` not the default stream)`),
  };
}

/** The statements of the body with their comments, without the depth of the loop. */
function bodyLines(body: Stmt, fn: Fn): string[] {
  if (body.kind !== 'block') return [fn.text(body).trim()];
  const text = fn.text({ start: body.start + 1, end: body.end - 1 });
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const depth = Math.min(...lines.map((line) => /^[ \t]*/.exec(line)![0].length));
  return lines.length === 1 ? [text.trim()] : lines.map((line) => line.slice(depth).trimEnd());
}
