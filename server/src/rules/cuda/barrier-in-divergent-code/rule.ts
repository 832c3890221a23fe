// cuda/barrier-in-divergent-code: a barrier or full-mask warp primitive that not all of its lanes reach.

import { defineRule } from '../../rule';
import { excerpt } from '../../wording';

type Message =
  | 'block-barrier'
  | 'block-barrier-possible'
  | 'in-both-arms'
  | 'last-guard'
  | 'in-last-guard'
  | 'warp-primitive'
  | 'warp-primitive-possible'
  | 'after-return'
  | 'after-return-possible'
  | 'lanes-returned'
  | 'lanes-returned-possible';

export default defineRule<'barrier', Message>({
  meta: {
    id: 'cuda/barrier-in-divergent-code',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'safe',
    summary: 'A block barrier or a full-mask warp primitive that some of its threads do not reach.',
    docs: {
      what:
        '`__syncthreads()` is allowed in conditional code only if the condition is the same for every thread of the block; a warp primitive with the mask 0xffffffff is defined only if all 32 lanes execute it. ' +
        'The rule follows how each condition varies between the threads and reports a barrier that stands under a condition, or behind a return, which the threads that must meet do not share. ' +
        'Where the launch in sight shows lanes missing it is an error; where it depends on sizes or data it says so and is a warning, or a hint for warp primitives, loops, and boundary guards, be it that threads return early or that the guard is around all that is left of the kernel: threads that have ended count as arrived (an information where numbers in sight part them). A condition is reported once, at the first barrier under it.',
      why: 'The result is undefined: a hang, a silent race, or code that works until the next compiler or GPU. Since Volta the threads of a warp are scheduled on their own, so accidents that used to be harmless are not.',
      whenNot:
        'Silent when the condition is uniform over the block (over the warp, for warp primitives), and when the mask of the primitive is computed. An error only where numbers in sight part the threads; what data or sizes at run time decide may as well not, and is an information where a function out of sight has a part in it, or one hands it out that reduces, votes or broadcasts by its name.',
      fix:
        'A guard in the kernel itself is divided at its barriers (safe): what it computes is kept in a flag, every thread comes to the barriers and to loops around them that are even for the block, and only the work between them stays guarded. ' +
        'By hand: move the barrier out of the branch and guard only the work on either side of it. Instead of returning early, keep a flag `const bool active = i < n;` and let every thread reach the barrier. ' +
        'For warp primitives, take the mask of the lanes that are really there (`__ballot_sync` before the branch).',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Synchronization Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#synchronization-functions',
        },
        {
          title: 'Using CUDA Warp-Level Primitives',
          url: 'https://developer.nvidia.com/blog/using-cuda-warp-level-primitives/',
        },
        {
          title: 'Compute Sanitizer, synccheck',
          url: 'https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html#synccheck-tool',
        },
      ],
    },
    messages: {
      'block-barrier':
        '`{name}` is not reached by every thread of its block. `{condition}` around it differs between the threads: those that do not enter never arrive.',
      'block-barrier-possible':
        '`{name}` may not be reached by every thread of its block. `{condition}` around it can differ between the threads: whenever it does, some never arrive.',
      'in-both-arms':
        '`{name}` stands in both arms of `{condition}`, and the threads of a block part there. GPUs since Volta count arrivals at any barrier together, as long as both arms have as many; the language leaves it undefined.',
      'last-guard':
        '`{name}` is not reached by every thread of its block. Where `{condition}` does not hold, threads are at the end of the kernel: GPUs since Volta count threads that ended as arrived, older ones wait for them for ever.',
      'in-last-guard':
        '`{name}` may not be reached by every thread of its block. Where `{condition}` does not hold, threads are at the end of the kernel: GPUs since Volta count threads that ended as arrived, older ones wait for them for ever.',
      'warp-primitive':
        '`{name}` is not reached by all 32 lanes of its mask. `{condition}` around it differs between the lanes of a warp.',
      'warp-primitive-possible':
        '`{name}` may not be reached by all 32 lanes of its mask. `{condition}` around it can differ between the lanes of a warp.',
      'after-return':
        '`{name}` comes after threads have returned. They left where `{condition}` holds: GPUs since Volta count threads that ended as arrived, older ones wait for them for ever.',
      'after-return-possible':
        '`{name}` may come after threads have returned. They leave where `{condition}` holds: GPUs since Volta count threads that ended as arrived, older ones wait for them for ever.',
      'lanes-returned':
        '`{name}` names lanes that have returned. They left where `{condition}` holds, and the mask names all 32: what comes from them is undefined.',
      'lanes-returned-possible':
        '`{name}` may name lanes that have returned. They leave where `{condition}` holds, and the mask names all 32: in the warp that straddles the condition, what comes from them is undefined.',
    },
    example: { name: '__syncthreads()', condition: 'threadIdx.x < 16' },
  },
  on: 'barrier',
  *check(fact, { model }) {
    const cause = fact.under ?? fact.afterReturn;
    if (!cause) return;
    const data = { name: excerpt(fact.name, 40), condition: excerpt(cause.text) };
    const related = [{ at: cause.at, text: `\`${data.condition}\` decides which threads arrive` }, ...cause.trail];
    const confidence = fact.proven ? 'proven' : 'assumed';
    if (fact.under) {
      const warp = fact.scope === 'warp';
      const { isLoop, atEnd } = fact.under;
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
        // A host that rounds its sizes up to whole blocks gives every thread of a loop as many iterations. A guard around
        // all that is left of a kernel is an early return in other words, with which synccheck finds no fault either.
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
        ...(fact.divided
          ? { fixes: [{ title: fact.divided.title, applicability: 'safe', edits: fact.divided.edits }] }
          : {}),
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
      // Every kernel with a boundary guard in front of a barrier does this, and synccheck on an H200 finds no fault with it: threads that ended count as arrived.
      if (fact.scope === 'block')
        yield {
          at: fact.at,
          data,
          related,
          confidence,
          severity: fact.proven ? 'information' : 'hint',
          message: fact.proven ? 'after-return' : 'after-return-possible',
        };
      else
        yield {
          at: fact.at,
          data,
          related,
          confidence,
          // As often as not the number is one that the host rounds up to whole warps.
          severity: fact.proven ? 'warning' : 'hint',
          message: fact.proven ? 'lanes-returned' : 'lanes-returned-possible',
        };
    }
  },
});
