// Barrier facts: which lanes may be missing at a barrier, and the condition that keeps them away.
import type { Expr, FunctionDecl } from '../../syntax/ast';
import type { BarrierFact, Reason, Span } from '../model';
import { trailOf } from '../trail';
import type { KernelRun } from './kernelRuns';
import type { Locator } from './locate';

export function barrierFacts(run: KernelRun, locate: Locator): BarrierFact[] {
  return run.barriers.map((record) => {
    const reason = (of: { cond: Expr; fn: FunctionDecl }): { at: Span; text: string; trail: readonly Reason[] } => {
      const base = locate.current(of.fn).base;
      const file = locate.file(of.fn);
      return {
        at: locate.span(of.fn, of.cond),
        text: locate.text(of.fn, of.cond),
        trail: trailOf(of.fn, of.cond, base, (start, end) => file?.text.slice(base + start, base + end) ?? ''),
      };
    };
    return {
      kind: 'barrier',
      at: locate.span(record.fn, record.node),
      name: record.name,
      kernels: [run.kernel.name],
      scope: record.scope,
      ...(record.under ? { under: reason(record.under) } : {}),
      ...(record.afterReturn ? { afterReturn: reason(record.afterReturn) } : {}),
      proven: record.proven,
    };
  });
}
