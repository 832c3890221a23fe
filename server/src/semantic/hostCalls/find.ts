// Finds the CUDA runtime's calls in host code, the loops around them, and what is known about moving them out.
import type { RuntimeCallFact } from '../model';
import { type FunctionContext, spanOf, textOf } from '../language/functionContext';
import { hoistOf } from './hoist';
import { waitOf } from './waits';
import { loopRef, runtimeCallsOf } from './calls';

/** The runtime calls of a host function, in the order of the text. */
export function findRuntimeCalls(context: FunctionContext): RuntimeCallFact[] {
  const { fn } = context;
  if (!fn.body || fn.global || (fn.device && !fn.host)) return [];
  const calls = runtimeCallsOf(context);
  return calls.map((one) => {
    const hoist = one.loops.length ? hoistOf(one, calls, context) : undefined;
    const wait = one.loops.length ? waitOf(one, calls, context) : undefined;
    return {
      kind: 'runtime-call',
      at: spanOf(context, one.call),
      statementAt: spanOf(context, one.written),
      name: one.name,
      category: one.category,
      args: one.call.args.map((arg) => textOf(context, arg)),
      ...(one.wrapper ? { wrapper: one.wrapper } : {}),
      loops: one.loops.map((loop) => loopRef(loop, context)),
      function: fn.name,
      ...(hoist ? { hoist } : {}),
      ...(wait ? { wait } : {}),
    };
  });
}
