// What of a file was not read: a file without findings is clean only where this list is empty.
import type { Span } from '../span';

/** Why an access, or a call that may make some, has no figures. */
export type UnreadAccessReason =
  | 'jump' // a `goto` back, or one that data decide: what comes after it is not followed
  | 'unknown-call' // a function without a known body is given memory, or may hold some
  | 'unknown-type' // the class that is indexed or dereferenced has no known definition
  | 'unknown-pointer' // nothing says what the pointer points to
  | 'unknown-index' // lanes' distances depend on values that are not followed
  | 'inline-assembly';

export type UnreadReason =
  | UnreadAccessReason
  // Kernels and functions.
  | 'template-parameters' // without a known type or value, and figures depend on them
  | 'stopped' // the work budget ran out in the body
  | 'syntax-errors'
  | 'inactive-branch' // the active branch of the condition is an `#error`
  | 'unknown-qualifiers' // it asks for its thread, and only an unknown macro can make it device code
  // Launches.
  | 'kernel-not-found'
  | 'kernel-by-value' // a pointer, parameter or expression that no known value reaches
  | 'template-arguments'
  | 'unknown-block'
  | 'launch-not-reached'
  // Files.
  | 'file-limit';

/** An access of a kernel, or a call that may make some, whose addresses the run could not follow. */
export interface UnreadFact {
  readonly kind: 'unread';
  readonly at: Span;
  readonly text: string;
  readonly kernels: readonly string[];
  readonly reason: UnreadAccessReason;
}

export interface Unread {
  readonly at: Span;
  readonly what: 'kernel' | 'function' | 'launch' | 'access' | 'file';
  readonly reason: UnreadReason;
  /** What the reason is about: a name, a text of the code, or a sentence. */
  readonly detail: string;
  /** Kernels that it is part of. */
  readonly kernels: readonly string[];
}
