// Elementwise kernels that are launched one behind the other over the same elements, and the one kernel of both.
import type { Expr, FunctionDecl, LaunchExpr, ParamDecl, Stmt } from '../../../syntax/ast';
import {
  type Fn,
  workOf,
  launchesIn,
  launchOf,
  launchSiteAt,
  sameExpr,
  assignedNames,
  mentions,
  rootName,
  some,
} from '../../language';
import { dimensionsOf, type ElementAccess, elementwiseOf, isPointer, type LaunchedElementwise } from './elementwise';
import { fusedOf } from './fusedKernel';
import { isErrorCheck } from './errorChecks';
import type { FusionFact } from '../model';

/** Pairs of launches of a host function that one kernel could serve, in the order of the text. */
export function* findFusions(fn: Fn): Iterable<FusionFact> {
  if (!fn.decl.body || fn.decl.global || launchesIn(fn.decl).length < 2) return;
  const lists = new Set<readonly Stmt[]>();
  for (const launch of launchesIn(fn.decl))
    for (const around of fn.around(launch))
      if (around.kind === 'block' && !around.macro && around.body.some((statement) => launchOf(statement) === launch))
        lists.add(around.body);
  for (const list of lists) {
    let before: LaunchExpr | undefined;
    let at: Stmt | undefined;
    let checks: Stmt[] = [];
    for (const statement of list) {
      const launch = launchOf(statement);
      if (!launch) {
        if (isErrorCheck(statement)) checks.push(statement);
        else before = undefined;
        continue;
      }
      if (before && at && !checks.some((check) => changesArguments(check, launch))) {
        const fact = fusionOf(before, at, launch, statement, fn);
        if (fact) yield fact;
      }
      before = launch;
      at = statement;
      checks = [];
    }
  }
}

function fusionOf(
  first: LaunchExpr,
  firstAt: Stmt,
  second: LaunchExpr,
  secondAt: Stmt,
  fn: Fn,
): FusionFact | undefined {
  if (first.config.length !== second.config.length) return undefined;
  if (!first.config.every((part, at) => sameExpr(part, second.config[at]!))) return undefined;
  // Shared memory is what threads do together.
  if (first.config[2] && !(first.config[2].kind === 'number' && first.config[2].value === 0)) return undefined;
  const a = launched(first, firstAt, fn);
  const b = launched(second, secondAt, fn);
  if (!a || !b || a.fn.decl.body === b.fn.decl.body) return undefined;
  // A kernel that reads nothing sets up, and does it once.
  if (!a.does.accesses.some(({ loads }) => loads)) return undefined;
  const handed = handedOver(a, b, fn);
  if (!handed || handed.length === 0) return undefined;
  const fused = fusedOf(a, b, fn);
  return {
    kind: 'fusion',
    at: fn.span(second),
    first: { at: fn.span(first), kernel: a.kernel.name, nameAt: nameSpan(a.kernel) },
    second: { kernel: b.kernel.name, nameAt: nameSpan(b.kernel) },
    arrays: [...new Set(handed.map(({ text }) => text))],
    reads: handed.flatMap(({ reads }) => reads.map(({ node }) => b.fn.span(node))),
    ...(typeof fused === 'string' ? { why: fused } : { fused }),
  };
}

function nameSpan(fn: FunctionDecl): FusionFact['first']['nameAt'] {
  const start = fn.base + fn.nameStart;
  return { uri: fn.uri, start, end: start + fn.name.length };
}

function launched(launch: LaunchExpr, statement: Stmt, fn: Fn): LaunchedElementwise | undefined {
  const kernel = launchSiteAt(fn, launch).kernel;
  if (!kernel?.body || !launch.config[1]) return undefined;
  const { fn: decl, args } = workOf(kernel, launch.args, fn.decl, fn.program);
  const file = fn.unit.files.find(({ uri }) => uri === decl.uri);
  if (!file || decl.params.length !== args.length || !args.every(isPlain)) return undefined;
  const kernelFn = fn.of(decl);
  const texts = new Map<ParamDecl, string>(
    decl.params.map((param, at) => [param, spelt(args[at]!, param, fn).replace(/\s+/g, ' ')]),
  );
  const does = elementwiseOf(kernelFn, texts, dimensionsOf(launch.config[1], fn));
  return does && { launch, statement, kernel, fn: kernelFn, args, does };
}

/** As text, without a conversion to the parameter's type. */
function spelt(arg: Expr, param: ParamDecl, fn: Fn): string {
  if (arg.kind === 'cast' && JSON.stringify(arg.type) === JSON.stringify(param.type)) return fn.text(arg.operand);
  return arg.kind === 'name' ? arg.name : fn.text(arg);
}

/** Can be said twice, and means the same both times. */
function isPlain(expr: Expr): boolean {
  return !some(expr, (node) => /^(assign|update|call|launch|lambda|new|delete|opaque)$/.test(node.kind));
}

interface HandedOver {
  readonly text: string;
  readonly reads: readonly ElementAccess[];
}

/**
 * The arrays that the first launch writes and the second reads, each thread the elements that it wrote itself;
 * undefined where a thread of one may touch what another thread of the other writes.
 */
function handedOver(a: LaunchedElementwise, b: LaunchedElementwise, fn: Fn): HandedOver[] | undefined {
  const handed: HandedOver[] = [];
  for (const [at, from] of a.fn.decl.params.entries())
    for (const [to, other] of b.fn.decl.params.entries()) {
      if (!isPointer(from) || !isPointer(other)) continue;
      const [passed, taken] = [a.args[at]!, b.args[to]!];
      const of = a.does.accesses.filter(({ parameter }) => parameter === from);
      const second = b.does.accesses.filter(({ parameter }) => parameter === other);
      const writes = of.some(({ stores }) => stores);
      if (!writes && !second.some(({ stores }) => stores)) continue;
      if (!sameExpr(passed, taken)) {
        // Parts of one array may overlap.
        if (rootName(passed) === undefined || rootName(passed) === rootName(taken)) return undefined;
        continue;
      }
      const places = [...of, ...second].map(({ place }) => place);
      const one = places[0];
      if (!places.every((each) => each && each.index === one!.index && each.factor === one!.factor)) return undefined;
      const reads = second.filter(({ loads }) => loads);
      if (writes && reads.length > 0) handed.push({ text: spelt(taken, other, fn), reads });
    }
  return handed;
}

function changesArguments(check: Stmt, { args, config }: LaunchExpr): boolean {
  return [...assignedNames(check)].some((name) => [...args, ...config].some((expr) => mentions(expr, name)));
}
