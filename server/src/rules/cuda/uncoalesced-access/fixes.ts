// What is offered for an uncoalesced access, and why nothing is.
import type { AccessFact, Refusal, RewriteFact, Rewrites } from '../../../semantic/model';
import type { Fix } from '../../rule';
import { ratioText, titleWith, withGain } from '../../wording';
import type { Message } from './words';

/** A sum's are said by the rule that speaks of it. */
export function refusalsOf({ refusals = [] }: AccessFact): Refusal[] {
  return refusals.filter(({ family }) => family !== 'register-sums');
}

/** What the model says of the access before and after: its lanes then lie side by side. */
function expected({ sectors, sectorsIdeal }: AccessFact): string {
  return sectors && sectorsIdeal ? `: ${ratioText(sectors / sectorsIdeal)} → 1.0× sectors` : '';
}

type Offer<F extends keyof Rewrites> = (rewrite: Rewrites[F], gain: string, message: Message) => Fix | undefined;
const withoutGain = (rewrite: RewriteFact): Fix => ({ ...rewrite, applicability: 'unsafe' });
const sideBySide = (rewrite: RewriteFact, gain: string): Fix => ({
  ...withoutGain(rewrite),
  title: withGain(rewrite.title, gain),
});

/** All runs of a kernel that take the same vectors at once. */
function wide({ title, edits }: RewriteFact): Fix {
  const [, vectors] = /^Store \d+ elements as (\w+)/.exec(title)!;
  const of = `Store {count} runs as ${vectors}`;
  return { title, edits, applicability: 'safe', proof: 'run', alike: { precondition: of, title: of } };
}

/** How the fix of each family is offered, in this order. */
const offers: { readonly [F in keyof Rewrites]?: Offer<F> } = {
  'grid-stride': ({ variable, title, edits }, gain) => ({
    title: titleWith(variable, (name) => withGain(title.replace(`\`${variable}\``, `\`${name}\``), gain)),
    ...{ applicability: 'safe', edits, proof: 'run' },
  }),
  'swap-axes': sideBySide,
  'wide-stores': wide,
  // Where a thread uses most of its structure anyway, L1 has brought it.
  'struct-arrays': (rewrite, _, message) => (message === 'struct-field' ? withoutGain(rewrite) : undefined),
  'aligned-structs': withoutGain,
  'transpose-tile': sideBySide,
  'row-warps': sideBySide,
  'block-shape': sideBySide,
};

export function fixesOf(fact: AccessFact, message: Message): Fix[] {
  const gain = expected(fact);
  const offer = <F extends keyof Rewrites>(family: F): Fix | undefined => {
    const rewrite = fact.fixes?.[family];
    return rewrite && offers[family]?.(rewrite, gain, message);
  };
  return (Object.keys(offers) as (keyof Rewrites)[]).flatMap((family) => offer(family) ?? []);
}
