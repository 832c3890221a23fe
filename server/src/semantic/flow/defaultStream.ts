// Work in the default stream amid work that a function queues in a stream: an order by chance.
import type { CallExpr, Expr, LaunchExpr, VarDecl } from '../../syntax/ast';
import { type AnySyntax, type Fn, lastPart, namesIn } from '../language';
import type { RuntimeCallFact } from '../model';
import { launchesIn, runtimeCallsOf } from './calls';
import { isNull } from './callees';
import { bringsToHost, streamArgumentOf } from './directions';
import { hasDevicePolicy } from './parts';
import { pointerLike } from './pointers';
import { onDefault } from './pool';
import { isWait } from './timeline';

type Work = LaunchExpr | CallExpr | VarDecl;

const ofStream = /^(::)?(cudaStream_t|(rmm::)?cuda_stream_view)$/;

/** What is queued in the default stream between uses of a function's only stream, on data of one of them. */
export function findOnDefault(fn: Fn): RuntimeCallFact[] {
  const [stream, ...others] = fn.locals.all.filter(({ variable, parameter }) => {
    const type = (variable ?? parameter)?.type;
    return type?.kind === 'named' && ofStream.test(type.name);
  });
  if (!stream || others.length > 0 || stream.writes.length > 0) return [];
  const calls = new Map(runtimeCallsOf(fn).map((one) => [one.call as AnySyntax, one]));
  const works = fn.locals.nodes.filter((node): node is Work => /^(launch|call|var)$/.test(node.kind));
  const launchers = new Set<AnySyntax>(launchesIn(fn.decl.body!, fn));
  const inStream = works.filter((work) => partsOf(work).some((part) => fn.local(part) === stream));
  // A function of the program that is given the stream may wait for it.
  const isWaiting = (work: Work): boolean => {
    const one = calls.get(work);
    if (one) return isWait(one);
    return (
      work.kind === 'call' &&
      (work.callee.kind === 'member' || inStream.includes(work)) &&
      !ofLibrary.test(fn.text(work.callee))
    );
  };
  const isAlgorithm = (work: Work): boolean => work.kind === 'call' && hasDevicePolicy(work, fn);
  const isDefault = (work: Work): boolean => {
    if (work.kind === 'var') return false;
    if (work.kind === 'launch') return !work.config[3] || isNull(work.config[3]);
    const one = calls.get(work);
    if (isAlgorithm(work)) return !/\.on\(/.test(fn.text(work.args[0]!));
    if (!one) return !!work.args[0] && !isNull(work.args[0]) && launchers.has(work) && onDefault(work, fn, 0);
    const given = one.category === 'async-copy' ? streamArgumentOf(one) : undefined;
    return bringsToHost(one, fn) || (one.category === 'async-copy' && (!given || isNull(given)));
  };
  const order = (work: AnySyntax): number => fn.locals.order(work);
  return works.filter(isDefault).flatMap((work): RuntimeCallFact[] => {
    const meets = (other: Work): boolean => {
      const isAfter = order(other) > order(work);
      const [from, to] = isAfter ? [work, other] : [other, work];
      const isAwaited = works.some((wait) => isWaiting(wait) && order(wait) > order(from) && order(wait) < order(to));
      const isDone = isAwaited || isWaiting(from) || isAlgorithm(from);
      return !isDone && runsWith(other, work, fn) && sharesMemory(other, work, fn);
    };
    const isBefore = inStream.map((one) => order(one) < order(work));
    const met = isBefore.includes(true) && isBefore.includes(false) ? inStream.find(meets) : undefined;
    if (!met || work.kind === 'var') return [];
    const place = { at: fn.span(work), statementAt: fn.span(work), function: fn.decl.name };
    const amid = { stream: stream.name, at: fn.span(met) };
    const name = lastPart(fn.text(work.callee));
    return [{ kind: 'runtime-call', ...place, name, category: 'other', loops: [], onDefault: amid }];
  });
}

const ofLibrary = /^(::)?(cub|thrust)::/;

/** What a call or a launch is given, its stream too; what an object is made of. */
function partsOf(work: Work): readonly Expr[] {
  if (work.kind === 'launch') return [...work.args, ...work.config.slice(3)];
  if (work.kind === 'call') return work.args;
  return work.init?.kind === 'initList' ? work.init.elements : [];
}

/** Does one run wherever the other does, as far as branches between them decide? */
function runsWith(one: Work, other: Work, fn: Fn): boolean {
  let inner: AnySyntax = one;
  for (const around of fn.around(one)) {
    if (/^(if|switch|case|conditional|lambda)$/.test(around.kind) && !fn.isInside(other, inner)) return false;
    inner = around;
  }
  return true;
}

function sharesMemory(one: Work, other: Work, fn: Fn): boolean {
  const [names, others] = [one, other].map((work) =>
    work.kind === 'var'
      ? new Set([work.name])
      : new Set(partsOf(work).flatMap((part) => (pointerLike(part, fn) ? [...namesIn(part)] : []))),
  );
  return [...names!].some((name) => others!.has(name) && fn.locals.all.some((local) => local.name === name));
}
