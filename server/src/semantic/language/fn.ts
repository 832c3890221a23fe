// What the finders of rewrites, reductions and host calls get to see: one function, its file, and the named facts about
// the launches it serves.
import type { Expr, FunctionDecl, SourceFile, TranslationUnit } from '../../syntax/ast';
import { TypedFunction } from './functionText';
import { type Index, polynomialOf } from './indexPolynomials';
import { createProgram } from './program';
import { createTypeTable } from './typeTable';
import { type Typing, typingOf } from './typing';

export type BlockShape = readonly [number, number, number];

/** A call of the known function, with the function that makes it. */
export interface CallSite {
  readonly caller: FunctionDecl;
  readonly args: readonly Expr[];
}

export class Fn extends TypedFunction {
  /** The kernel itself, or the kernels that a device function serves. */
  readonly kernels: readonly string[];
  /** Block shapes of the known launches; empty where none is and a shape would be assumed. */
  readonly blockShapes: readonly BlockShape[];
  /**
   * False when a known launch has a block that depends on a run-time value: there are other shapes than `blockShapes`.
   */
  readonly allShapesKnown: boolean | undefined;
  /** Values of template parameters and of arguments that each launch fixes, beside `blockShapes`. */
  readonly launchValues: readonly ReadonlyMap<string, number>[] | undefined;
  /** Names of the types that each launch gives to template parameters, beside `blockShapes`. */
  readonly launchTypes: readonly ReadonlyMap<string, string>[] | undefined;
  /** Where a device function is called; empty for kernels and where no call is known. */
  readonly callSites: readonly CallSite[] | undefined;

  /** @param known what is left out is not known; the analysis adds what it knows of launches */
  constructor(
    readonly unit: TranslationUnit,
    file: SourceFile,
    decl: FunctionDecl,
    known: Partial<Fn> = {},
  ) {
    const program = known.program ?? createProgram(unit);
    super(file, decl, program, known.types ?? createTypeTable(program));
    this.kernels = known.kernels ?? (decl.global ? [decl.name] : []);
    this.blockShapes = known.blockShapes ?? [];
    this.allShapesKnown = known.allShapesKnown;
    this.launchValues = known.launchValues;
    this.launchTypes = known.launchTypes;
    this.callSites = known.callSites;
  }

  /** Another function of the program in its file, whatever launches it. */
  of(fn: FunctionDecl): Fn {
    const { unit, file, program, types } = this;
    return new Fn(unit, program.fileOf(fn) ?? file, fn, { program, types });
  }

  /** Another function, seen as if in the place of this one. */
  inside(fn: FunctionDecl, file = this.file): Fn {
    return new Fn(this.unit, file, fn, this);
  }

  /** The same, with no call of it known. */
  calledFromNowhere(): Fn {
    return new Fn(this.unit, this.file, this.decl, { ...this, callSites: [] });
  }

  /** The polynomial of an integer expression, as `polynomialOf` says. */
  index(expr: Expr): Index | undefined {
    return polynomialOf(expr, this);
  }

  get typing(): Typing {
    return typingOf(this);
  }
}
