// Facts of what a kernel's runs could not follow.
import type { KernelRun } from '../kernels/kernelRuns';
import type { Locator } from '../kernels/locate';
import type { UnreadFact } from '../model';

/** Those in file `uri`; what a header's function does is reported where this file calls it. */
export function unreadFacts(run: KernelRun, locate: Locator, uri: string): UnreadFact[] {
  const { kernel } = run;
  return run.unread.flatMap(({ node, fn, reason, via }): UnreadFact[] => {
    const called = fn.uri !== uri && kernel.uri === uri ? via : undefined;
    if (fn.uri !== uri && !called) return [];
    const at = called ? locate.span(kernel, called) : locate.span(fn, node);
    const text = locate.text(fn, node);
    return [{ kind: 'unread', at, text, kernels: [kernel.name], reason }];
  });
}
