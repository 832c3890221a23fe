// A test that cannot run here says why, so that the closing line of `npm test` can name what was left out and for what reason.
import type { Context, Runnable, Suite, Test } from 'mocha';

export interface SkippedTest {
  readonly title: string;
  readonly reason: string;
}
interface Reasoned {
  skipReason?: string;
}

/** Skips the test, or in a hook all tests of its suite. Does not return. */
export function skipBecause(context: Context, reason: string): never {
  const runnable = context.runnable() as Runnable & { readonly type?: string };
  const where = (runnable.type === 'hook' ? runnable.parent : runnable) as Reasoned;
  where.skipReason = reason;
  return context.skip() as never;
}

/** A pending test with its full title and the reason that it, or a suite around it, gave. */
export function skippedTest(test: Test): SkippedTest {
  let at: (Reasoned & { readonly parent?: Suite | undefined }) | undefined = test;
  while (at && at.skipReason === undefined) at = at.parent;
  return { title: test.titlePath().join(' › '), reason: at?.skipReason ?? 'It gave no reason.' };
}
