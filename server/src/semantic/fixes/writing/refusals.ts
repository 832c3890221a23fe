// How a family of fixes says which of its preconditions failed.
import type { FixFamily, Refusal } from '../../model';

/** Makes a family's refusals; `P` are the names of its preconditions. */
export function refuser<P extends string>(family: FixFamily): (precondition: P, why: string) => Refusal {
  return (precondition, why) => ({ family, precondition, why });
}
