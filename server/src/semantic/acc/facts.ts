// The facts of directives, types only; a part of model.ts, through which the rules import them.
import type { Edit, Span } from '../model';

/** A directive and what is wrong with its form. */
export interface AccDirectiveFact {
  readonly kind: 'acc-directive';
  readonly at: Span;
  readonly name: string;
  readonly nameAt: Span;
  readonly problems: readonly { readonly code: string; readonly at: Span; readonly data: Readonly<Record<string, string | number>>; readonly fix?: AccFix & { readonly safe: boolean } }[];
}

/** A mending that the analysis has found, ready for a rule to offer. */
export interface AccFix { readonly title: string; readonly edits: readonly Edit[] }

export interface AccFactKinds {
  'acc-directive': AccDirectiveFact;
}
