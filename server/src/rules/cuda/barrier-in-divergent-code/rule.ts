// cuda/barrier-in-divergent-code: a barrier or full-mask warp primitive that not all of its lanes reach.

import { defineRule, withSanitizer } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';
import { messages } from './words';

type Message = keyof typeof messages;

const messageOf = { absent: 'lanes-absent', unnamed: 'caller-unnamed', inactive: 'source-inactive' } as const;

export default defineRule<'barrier', Message>({
  meta: {
    id: 'cuda/barrier-in-divergent-code',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'both',
    summary: 'Some threads do not reach a block barrier or a full-mask warp primitive.',
    docs,
    confirm: withSanitizer('synccheck'),
    messages,
    example: { name: '__syncthreads()', condition: 'threadIdx.x < 16', mask: '0xffff', lane: 16, source: 31 },
  },
  on: 'barrier',
  *check(fact, { model }) {
    const { fault } = fact;
    if (fault && !(fact.under && fact.proven)) {
      const { kind, mask, lane, source = 0 } = fault;
      yield {
        at: fact.at,
        data: { name: excerpt(fact.name, 40), mask, lane, source },
        confidence: 'proven',
        message: messageOf[kind],
      };
      return;
    }
    const cause = fact.under ?? fact.afterReturn;
    if (!cause) return;
    const data = { name: excerpt(fact.name, 40), condition: excerpt(cause.text) };
    const related = [{ at: cause.at, text: `\`${data.condition}\` decides which threads arrive` }, ...cause.trail];
    const confidence = fact.proven ? 'proven' : 'assumed';
    if (fact.under) {
      const warp = fact.scope === 'warp';
      const { isLoop, atEnd } = fact.under;
      const divided = fact.fixes?.['divided-guard'];
      const ended = !warp && !isLoop && atEnd;
      // One condition is one mistake: the first barrier under it speaks for the others.
      if (
        model.facts.barrier.some(
          (other) =>
            other.at.start < fact.at.start &&
            other.scope === fact.scope &&
            other.proven === fact.proven &&
            other.under?.at.start === cause.at.start &&
            other.under.at.uri === cause.at.uri,
        )
      )
        return;
      yield {
        at: fact.at,
        data,
        related,
        confidence,
        // A host that rounds its sizes up to whole blocks gives every thread of a loop as many iterations. A guard
        // around all that is left of a kernel is an early return in other words, with which synccheck finds no fault
        // either.
        severity:
          ended && !fact.proven
            ? 'hint'
            : fact.inBothArms || ended || (!fact.proven && fact.under.outOfSight)
              ? 'information'
              : fact.proven
                ? 'error'
                : warp || isLoop
                  ? 'hint'
                  : 'warning',
        message: warp
          ? fact.proven
            ? 'warp-primitive'
            : 'warp-primitive-possible'
          : fact.inBothArms
            ? 'in-both-arms'
            : ended
              ? fact.proven
                ? 'last-guard'
                : 'in-last-guard'
              : fact.proven
                ? 'block-barrier'
                : 'block-barrier-possible',
        // At the end a kernel may take longer (14 % on an H200), to no effect where exited threads count as arrived.
        ...(divided ? { fixes: [{ ...divided, applicability: ended ? 'unsafe' : 'safe' }] } : {}),
        ...(fact.refusals ? { refusals: fact.refusals } : {}),
      };
    } else {
      // One return is one mistake: the first barrier behind it speaks for the others.
      const first = model.facts.barrier.find(
        (other) =>
          other.at.start < fact.at.start &&
          !other.under &&
          other.afterReturn?.at.start === cause.at.start &&
          other.afterReturn.at.uri === cause.at.uri,
      );
      if (first) return;
      const message = fact.scope === 'block' ? 'after-return' : 'lanes-returned';
      yield {
        at: fact.at,
        data,
        related,
        confidence,
        // Every boundary guard before a barrier does this; synccheck (H200) finds no fault, as ended threads count.
        // Often the number is one that the host rounds up to whole warps.
        severity: !fact.proven ? 'hint' : fact.scope === 'block' ? 'information' : 'warning',
        message: fact.proven ? message : `${message}-possible`,
      };
    }
  },
});
