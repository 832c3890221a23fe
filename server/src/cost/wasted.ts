// What a finding says is wasted, and what its end would give back.
import type { Interval, Waste } from '../rules/rule';
import type { FactKind, Facts } from '../semantic/model';

/** What one finding says is wasted, and the fact that it speaks of. */
export interface Wasted {
  readonly fact: Facts[FactKind];
  readonly waste: Waste;
}

/** Time now over time without the waste. */
export interface Gain {
  /** Over all values that code and data may have. */
  readonly range: Interval;
  /** What is expected of the values that the code leaves open, with the data that cost least. */
  readonly expected: number;
  /** Cycles of one multiprocessor that all launches are expected to save; absent where no time is predicted. */
  readonly saved?: number;
}
