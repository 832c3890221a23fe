// What is unknown in a value: read off it, or made a separate unknown.
import type { Lanes } from './lanes';
import { requireEvery } from './state';
import type { Form } from './unknowns';
import { Taint, unsettled, type Run, type Value } from './values';

/** A value that has these taints and no form depends on unknowns in a way that is not followed. */
export const open = unsettled | Taint.assumed | Taint.maybe | Taint.iterated;

export const nothing: Form = [];

/** The unknown part of a value: empty where its lanes are its numbers, undefined where it is not followed. */
export function formOf(
  run: Run,
  value: Pick<Value, 'lanes' | 'form' | 'taint'> & { key?: string | undefined },
): Form | undefined {
  if (value.form) return value.form;
  if (!(value.taint & open)) return nothing;
  if (typeof value.lanes !== 'number') return undefined;
  if ((value.taint & open) === Taint.iterated) return iteratedForm(run, value.lanes);
  return run.unknowns.opaque(value.lanes, value.key, (value.taint & Taint.thread) !== 0);
}

/** A number that only the run knows. */
export function iteratedForm(run: Run, witness: Lanes): Form {
  const key = typeof witness === 'number' ? witness : `#${run.loopCount++}`;
  return run.unknowns.single(run.unknowns.named(`iterated=${key}`, () => ({ kind: 'iteration', witness })));
}

/** What does not follow from sums of products of an iteration's number has to be computed for each iteration. */
export function requireEach(run: Run, ...values: readonly Pick<Value, 'form'>[]): void {
  if (run.iterating) for (const { form } of values) requireEvery(run, form);
}

/** `taint` without what says that unknowns are in it, where the unknowns have cancelled. */
export function settledTaint(taint: number, form: Form | undefined): number {
  return form?.length === 0 ? taint & ~(unsettled | Taint.unknownStride | Taint.iterated) : taint;
}
