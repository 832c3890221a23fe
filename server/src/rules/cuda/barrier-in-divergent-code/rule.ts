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
    summary: 'Some threads do not reach a block barrier or a full-mask warp primitive.',
    docs: {
      what:
        '`__syncthreads()` in conditional code requires that the condition is the same for every thread of ' +
        'the block; a warp primitive with the mask 0xffffffff requires all 32 lanes. The rule follows how ' +
        'conditions vary between threads and reports a barrier under a condition, or after a return, that ' +
        'the participating threads do not share. It is an error where a known launch shows missing lanes; ' +
        'where sizes or data decide, the message says so and the severity is lower, as for guards at the ' +
        'end of a kernel, since exited threads count as arrived. A condition is reported once, at the ' +
        'first barrier under it.',
      why:
        'The result is undefined: a hang, a silent race, or code that works until the next compiler or ' +
        'GPU. Since Volta the threads of a warp are scheduled independently, so formerly harmless cases ' +
        'are not.',
      whenNot:
        'Silent when the condition is uniform over the block (over the warp for warp primitives), and when ' +
        'the mask is computed. Conditions from a function that is not in the sources are at most an ' +
        'information.',
      fix:
        'Splits a guard in the kernel at its barriers (safe): the condition is kept in a flag, every ' +
        'thread reaches the barriers and the uniform loops around them, and only the work in between stays ' +
        'guarded. By hand: move the barrier out of the branch; instead of returning early, keep `const ' +
        'bool active = i < n;`. For warp primitives, use the mask of the active lanes (`__ballot_sync` ' +
        'before the branch).',
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
        'Not every thread of the block reaches `{name}`. `{condition}` around it differs between the ' +
        'threads: the others never arrive.',
      'block-barrier-possible':
        'Some threads may not reach `{name}`. `{condition}` around it can differ between the threads of ' +
        'the block: then some never arrive.',
      'in-both-arms':
        '`{name}` is in both arms of a divergent branch. `{condition}` differs between the threads of the ' +
        'block. GPUs since Volta count arrivals at any barrier together if both arms have equally many; ' +
        'the language leaves it undefined.',
      'last-guard':
        'Not every thread of the block reaches `{name}`. Where `{condition}` does not hold, threads are at ' +
        'the end of the kernel: GPUs since Volta count exited threads as arrived, older ones wait forever.',
      'in-last-guard':
        'Some threads may not reach `{name}`. Where `{condition}` does not hold, threads of the block are ' +
        'at the end of the kernel: GPUs since Volta count exited threads as arrived, older ones wait ' +
        'forever.',
      'warp-primitive':
        'Not all 32 lanes of its mask reach `{name}`. `{condition}` around it differs between the lanes of ' +
        'a warp.',
      'warp-primitive-possible':
        'Some lanes of its mask may not reach `{name}`. `{condition}` around it can differ between the ' +
        'lanes of a warp.',
      'after-return':
        '`{name}` comes after threads have returned. They return where `{condition}` holds: GPUs since ' +
        'Volta count exited threads as arrived, older ones wait forever.',
      'after-return-possible':
        '`{name}` may come after threads have returned. They return where `{condition}` holds: GPUs since ' +
        'Volta count exited threads as arrived, older ones wait forever.',
      'lanes-returned':
        '`{name}` names lanes that have returned. They return where `{condition}` holds, but the mask ' +
        'names all 32: their values are undefined.',
      'lanes-returned-possible':
        '`{name}` may name lanes that have returned. They return where `{condition}` holds, but the mask ' +
        'names all 32: where a warp straddles the condition, their values are undefined.',
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
          // Often the number is one that the host rounds up to whole warps.
          severity: fact.proven ? 'warning' : 'hint',
          message: fact.proven ? 'lanes-returned' : 'lanes-returned-possible',
        };
    }
  },
});
