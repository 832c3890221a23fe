// What a kind of fact registers: where it is found, who finds it, what it may be kept by, how facts of one place join.
import type { FunctionDecl, TranslationUnit } from '../../syntax/ast';
import type { FixFacts, FoundLaunch, KernelRun, LaunchFixes } from '../kernels';
import type { Locator, LaunchConfiguration } from '../run';
import type { Fn, Program, TypeTable } from '../language';
import type { FactKind, Facts, Work } from '../model';
import type { DeviceDebug } from './model';

interface Kind<K extends FactKind> {
  readonly kind: K;
  /** Of all facts of a file; without it they stay as they are. */
  merge?(facts: readonly Facts[K][], unit: TranslationUnit): readonly Facts[K][];
}

/** What a function's text depends on beside itself: other functions, and anything else as a text. */
export interface Keys {
  readonly functions: readonly FunctionDecl[];
  readonly texts: readonly string[];
}

/** Found in the text of one function. A finder that throws finds nothing. */
export interface FunctionKind<K extends FactKind> extends Kind<K> {
  readonly from: 'function';
  find(context: Fn): Iterable<Facts[K]>;
  /** Undefined where the function can have none of the kind. */
  keys?(context: Fn): Keys | undefined;
}

/** Found in what a kernel did when it was run. */
export interface RunKind<K extends FactKind> extends Kind<K> {
  readonly from: 'run';
  /** By position, so that `complete` can add to each. Absent: `complete` finds them. */
  find?(run: KernelRun, seen: RunContext): Iterable<Facts[K] | undefined>;
  /** The part that depends on host code, too: it is computed again where that changes. */
  complete?(
    run: KernelRun,
    facts: readonly (Facts[K] | undefined)[],
    seen: RunContext,
    fixes: FixFacts,
  ): Iterable<Partial<Facts[K]> | undefined>;
}
export interface RunContext {
  readonly uri: string;
  readonly program: Program;
  readonly locate: Locator;
}

/** Found in a file as a whole. */
export interface FileKind<K extends FactKind> extends Kind<K> {
  readonly from: 'file';
  find(file: FileContext): Iterable<Facts[K]>;
}
export interface FileContext extends RunContext {
  readonly types: TypeTable;
  readonly runs: readonly KernelRun[];
  readonly launchesOf: ReadonlyMap<KernelRun, readonly LaunchConfiguration[]>;
  readonly launches: readonly FoundLaunch[];
  readonly fixes: LaunchFixes;
  /** What a thread of it computes. */
  workOf(run: KernelRun): readonly Work[];
  readonly deviceDebug: DeviceDebug | undefined;
}
