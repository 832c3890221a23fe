// Procedures as the analysis of directives reads them: one shape for C, C++ and Fortran, with directives bound to what
// they govern.

/**
 * Offsets are UTF-16 code units into the file (never relative). `macro`: the text stands inside a macro's expansion,
 * and no edit may be built from it.
 */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly macro?: boolean;
}

// ---- directives --------------------------------------------------------------------------------------------------

/** One OpenACC directive as written, continuation lines included. */
export interface Directive extends Place {
  /**
   * Lower case, single blanks, canonical: `parallel loop`, `enter data`, `end kernels` (Fortran). As written (lower
   * case) when no such directive exists.
   */
  readonly name: string;
  /** The words of the name as written. */
  readonly nameAt: Place;
  /** False when no OpenACC 3.3 directive is called so. */
  readonly known: boolean;
  /** Argument of the directive itself: `wait(1, 2)`, `cache(a[0:4])`, `routine(f)`. */
  readonly argument?: ClauseArgument;
  readonly clauses: readonly Clause[];
  readonly language: 'c' | 'fortran';
  /** Fixed-form Fortran: a line ends at column 72, and continuations are in column 6. */
  readonly fixedForm?: boolean;
  /** Mistakes of form and of the clause table, in order. */
  readonly problems: readonly DirectiveProblem[];
}

export interface Clause extends Place {
  /**
   * Canonical, lower case: `dtype` is `device_type`, `pcopyin` and `present_or_copyin` are `copyin`; `self` on update
   * stays `self`.
   */
  readonly name: string;
  readonly written: string;
  readonly nameAt: Place;
  readonly known: boolean;
  readonly argument?: ClauseArgument;
  /**
   * The `device_type` clause in force before it: absent in the default part of the directive. Lower case names, or `*`.
   */
  readonly deviceTypes?: readonly string[];
}

/** What is between the parentheses. */
export interface ClauseArgument extends Place {
  /** Between the parentheses, without them. */
  readonly inner: Place;
  /**
   * `readonly`, `zero`, `always`, `force`, `num`, `dim`, `static`, `length`, `devnum`, `queues`: what is before a
   * colon, lower case, in order.
   */
  readonly modifiers: readonly {
    readonly name: string;
    readonly at: Place;
    /** `static:*`, `dim:2`: the item that belongs to it, as index into `items`. */
    readonly item?: number;
  }[];
  /**
   * Of `reduction(+:a,b)`: canonical C spelling (`+ * max min & | ^ && ||`), Fortran's `.and.`, `iand` … turned into
   * it.
   */
  readonly operator?: string;
  readonly items: readonly ClauseItem[];
}
export interface ClauseItem extends Place {
  readonly text: string;
  /**
   * The variable that an item of a list names: `a` of `a[0:n]`, `s` of `s%x(1:n)` and `s->x`, `/blk/` of a common
   * block. Absent for expressions and `*`.
   */
  readonly variable?: string;
  /** The whole as an expression; `sections` inside are `section` values. Absent when it cannot be read. */
  readonly value?: Value;
}

/** A mistake in a directive; `code` is a rule's message id, `data` its data. */
export interface DirectiveProblem {
  readonly code:
    | 'unknown-directive'
    | 'unknown-clause'
    | 'clause-not-allowed'
    | 'clause-repeated'
    | 'not-after-device-type'
    | 'argument-missing'
    | 'argument-not-allowed'
    | 'argument-malformed'
    | 'modifier-not-allowed'
    | 'clause-missing'
    | 'clauses-conflict'
    | 'item-repeated'
    | 'level-nested'
    | 'misplaced'
    | 'orphan'
    | 'branch'
    | 'form'
    | 'unlisted'
    | 'freed-before'
    | 'not-updated'
    | 'undeclared'
    | 'unset'
    | 'one-element'
    | 'rows'
    | 'short-end'
    | 'not-present'
    | 'host-stale'
    | 'host-original'
    | 'device-stale'
    | 'absent'
    | 'no-effect'
    | 'freed-present'
    | 'attached-before'
    | 'member-absent'
    | 'malformed'
    | 'loop-missing'
    | 'unmatched-end'
    | 'missing-end';
  readonly at: Place;
  readonly data: Readonly<Record<string, string | number>>;
  /** What it follows from. */
  readonly relatedAt?: Place & { readonly uri: string };
  /** The nearest right word, or the removal, as edits. */
  readonly fix?: {
    readonly title: string;
    readonly safe: boolean;
    readonly edits: readonly { readonly at: Place; readonly newText: string }[];
  };
}

// ---- values ------------------------------------------------------------------------------------------------------

export type Value =
  | NumberValue
  | NameValue
  | ElementValue
  | MemberValue
  | UnaryValue
  | BinaryValue
  | CallValue
  | ConditionalValue
  | SectionValue
  | OtherValue;

export interface NumberValue extends Place {
  readonly kind: 'number';
  readonly value: number;
  readonly integer: boolean;
}
export interface NameValue extends Place {
  readonly kind: 'name';
  readonly name: string;
}
/**
 * `a[i][j]`, `a(i, j)`, `m->vals[k]`: subscripts in source order. C's `*(p + i)` and `*p` are elements too. `array` is
 * the path as one text without blanks (`a`, `m->vals`, `s%x`); `base` is what is subscripted. In Fortran a call of an
 * unknown name with arguments is a `call` unless the name is declared as an array.
 */
export interface ElementValue extends Place {
  readonly kind: 'element';
  readonly array: string;
  readonly base: Value;
  readonly subscripts: readonly Value[];
}
export interface MemberValue extends Place {
  readonly kind: 'member';
  readonly object: Value;
  readonly field: string;
  readonly path: string;
}
/** `op` in C's spelling: `-`, `+`, `!`, `~`, `*`, `&`. */
export interface UnaryValue extends Place {
  readonly kind: 'unary';
  readonly op: string;
  readonly operand: Value;
}
/** `op` in C's spelling; `**` for Fortran's power. */
export interface BinaryValue extends Place {
  readonly kind: 'binary';
  readonly op: string;
  readonly left: Value;
  readonly right: Value;
}
/** `name` lower case in Fortran. */
export interface CallValue extends Place {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Value[];
}
export interface ConditionalValue extends Place {
  readonly kind: 'conditional';
  readonly cond: Value;
  readonly then: Value;
  readonly else: Value;
}
/**
 * `lower:upper:step` in Fortran (inclusive), `start:length` in a C directive (`length` set instead of `upper`). Absent
 * parts are absent.
 */
export interface SectionValue extends Place {
  readonly kind: 'section';
  readonly lower?: Value;
  readonly upper?: Value;
  readonly length?: Value;
  readonly step?: Value;
}
/**
 * Anything else, with the values inside that are read. `assigns`: values inside that are written (`i++` inside an
 * expression).
 */
export interface OtherValue extends Place {
  readonly kind: 'other';
  readonly parts: readonly Value[];
  readonly assigns?: readonly Value[];
}

// ---- statements --------------------------------------------------------------------------------------------------

export type Step =
  | LoopStep
  | AssignStep
  | CallStep
  | IfStep
  | RegionStep
  | DirectiveStep
  | BlockStep
  | JumpStep
  | OtherStep;

interface StepPlace extends Place {
  /** First column of its line up to the first character that is not a blank: what an inserted line is indented by. */
  readonly indent: string;
}

/**
 * A counted loop (`for (i = lower; i < upper; i += step)`, `do i = lower, upper, step`), or another loop without
 * `variable`.
 * `directives` are those bound to it: `loop`, and combined constructs (which are the `RegionStep` around it as well).
 * A `do concurrent` and C++ range loops are `other` loops.
 */
export interface LoopStep extends StepPlace {
  readonly kind: 'loop';
  readonly form: 'counted' | 'while' | 'other';
  readonly variable?: string;
  /** The loop's own declaration (`for (int i = …`). */
  readonly declaresVariable?: boolean;
  readonly lower?: Value;
  /** First value not reached in C when `inclusive` is false; last value reached when it is true. */
  readonly upper?: Value;
  readonly inclusive?: boolean;
  /** `!=` as comparison: OpenACC accepts it since 3.0, GCC does not. */
  readonly unequal?: boolean;
  readonly step?: Value;
  /** `for (…)`, `do i = 1, n`. */
  readonly header: Place;
  readonly cond?: Value;
  readonly body: readonly Step[];
  /** Values read by a header that is not counted. */
  readonly directives: readonly Directive[];
}
/**
 * `target op= value`; plain `=` has no `op`. `x++` is `+=` 1. `op` is `+ - * / & | ^ max min && ||…`; `x = x + v`,
 * `x = max(x, v)`, `if (v > x) x = v` are recognised by `accumulates` in the analysis, not here.
 */
export interface AssignStep extends StepPlace {
  readonly kind: 'assign';
  readonly target: Value;
  readonly op?: string;
  readonly value: Value;
  /** `int x = v;` */
  readonly declares?: boolean;
  readonly atomic?: boolean;
}
export interface CallStep extends StepPlace {
  readonly kind: 'call';
  readonly call: CallValue;
}
export interface IfStep extends StepPlace {
  readonly kind: 'if';
  readonly cond: Value;
  readonly then: readonly Step[];
  readonly else?: readonly Step[];
}
/**
 * What a block-associated directive governs: parallel, kernels, serial, data, host_data, atomic, and the combined
 * loops, whose body is the one loop.
 * In Fortran `endDirective` is its end directive.
 */
export interface RegionStep extends StepPlace {
  readonly kind: 'region';
  readonly directive: Directive;
  readonly body: readonly Step[];
  readonly endDirective?: Directive;
  /** C: the body is in braces. */
  readonly braces?: boolean;
}
/** A directive that stands alone: update, enter data, exit data, wait, init, shutdown, set, declare, routine, cache. */
export interface DirectiveStep extends StepPlace {
  readonly kind: 'directive';
  readonly directive: Directive;
}
export interface BlockStep extends StepPlace {
  readonly kind: 'block';
  readonly body: readonly Step[];
}
export interface JumpStep extends StepPlace {
  readonly kind: 'jump';
  readonly form: 'return' | 'break' | 'continue' | 'goto' | 'stop';
  readonly value?: Value;
}
/**
 * Declarations without a value are not steps. Host-side I/O and what was not understood: the values it reads, and those
 * it may write.
 */
export interface OtherStep extends StepPlace {
  readonly kind: 'other';
  readonly reads: readonly Value[];
  readonly writes: readonly Value[];
  /** Its steps, where it has some (switch, try, select case, where). */
  readonly body?: readonly Step[];
}

// ---- declarations ------------------------------------------------------------------------------------------------

/** One dimension: C arrays have `extent`; Fortran has `lower` (1 when absent) and `upper`; neither for `:` and `*`. */
export interface Dimension {
  readonly extent?: Value;
  readonly lower?: Value;
  readonly upper?: Value;
}

export interface Variable {
  /**
   * Lower case in Fortran. A member that is used stands among the variables too, under its path (`A->vals`, `A.n`),
   * with the place of its root.
   */
  readonly name: string;
  readonly at: Place; // of the name in its declaration, in `uri`
  readonly uri: string;
  readonly role: 'parameter' | 'local' | 'global';
  /**
   * C's normalised spelling (`double`, `int`, `struct csr`), for Fortran the C type of the same size (`real(8)` is
   * `double`). Of an element.
   */
  readonly type: string;
  readonly elementBytes?: number | undefined;
  readonly floating: boolean;
  /** Absent for a scalar. A C pointer is one dimension without extent, a pointer to a pointer two. */
  readonly dimensions?: readonly Dimension[];
  readonly pointer?: boolean; // C pointer, Fortran pointer
  readonly reference?: boolean; // C++: another name for what it was made of
  readonly restrict?: boolean;
  readonly constant?: boolean; // const element, Fortran parameter
  readonly allocatable?: boolean;
  readonly intent?: 'in' | 'out' | 'inout';
  /** Initial value, or a constant's value. */
  readonly value?: Value;
  /** In scope from here to there (C block scope); the whole procedure where absent. */
  readonly scope?: Place;
}

export interface Procedure extends Place {
  readonly name: string; // lower case in Fortran; for C++ the last part
  readonly nameAt: Place;
  /** Names in order; Fortran's result variable is not among them. */
  readonly parameters: readonly string[];
  /**
   * All names known inside: parameters, locals (inner scopes too), and those of the host procedure or module in
   * Fortran.
   */
  readonly variables: readonly Variable[];
  /** `routine` directives: before it (C) or among its declarations (Fortran). */
  readonly routine: readonly Directive[];
  /** `declare` and other directives before its first statement. */
  readonly body: readonly Step[];
  /**
   * Where a `!$acc routine` line goes (Fortran: before its first executable or declaration after use and implicit), or
   * the offset before the whole definition (C).
   */
  readonly routineInsertAt: number;
  /** A kernel or device function of CUDA. */
  readonly device?: boolean;
}

/** A procedure that is defined elsewhere: a prototype of C, a body of an `interface` of Fortran. */
export type Prototype = Pick<Procedure, 'name' | 'nameAt' | 'start' | 'end' | 'routine' | 'device'>;

/**
 * `// warplens: trip <= 27`, `! warplens: trip 27`: on the line of a loop, on the loop's directive, or alone above
 * either.
 */
export interface TripAnnotation extends Place {
  readonly atMost: number;
  readonly exact: boolean;
  /** The line (0-based) it speaks of: its own, or the next line of code when it stands alone. */
  readonly line: number;
}

/** A source file for the analysis of directives. Also files without any directive may be asked for, as callees. */
export interface ProcedureFile {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
  readonly language: 'c' | 'fortran';
  readonly fixedForm?: boolean;
  /** Another file beside it holds a module of the same name: which of them a build takes is not known. */
  readonly oneOfSeveral?: true;
  readonly procedures: readonly Procedure[];
  readonly prototypes: readonly Prototype[];
  readonly globals: readonly Variable[];
  /** Every directive of the file in order, those that bind to nothing too. */
  readonly directives: readonly Directive[];
  readonly annotations: readonly TripAnnotation[];
  /** Places where the parser had to recover. */
  readonly errors: readonly Place[];
}
