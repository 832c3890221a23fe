// What the finders of rewrites, reductions and host calls get to see: one function, its file, and the named facts about
// the launches it serves; and the launches that the text of a unit makes.
import { append, once, oncePerBody } from './append';
import { counted, counterOf, type LocalLoop } from './countedLoops';
import type { Expr, FunctionDecl, LaunchExpr, SourceFile, Stmt, TranslationUnit } from '../../syntax/ast';
import { stepsOf } from '../steps';
import { TypedFunction } from './functionText';
import { type Index, polynomialOf } from './indexPolynomials';
import { typesWithin } from './instanceTypes';
import { kernelsNamed, startedBy } from './launchedKernels';
import { createProgram, functionsWith, lastPart } from './program';
import { localsOf, throws } from './scope';
import { createTypeTable } from './typeTable';
import { type Typing, typingOf } from './typing';

export type BlockShape = readonly [number, number, number];

/** A call of the known function, with the function that makes it. */
export interface CallSite {
  readonly caller: FunctionDecl;
  readonly args: readonly Expr[];
  readonly within?: Fn; // the caller, where more is known of it than its text
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
  /** The same of all instances, those that nothing here launches too. */
  readonly instanceTypes: readonly ReadonlyMap<string, string>[] | undefined;
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
    this.instanceTypes = known.instanceTypes;
    this.callSites = known.callSites;
  }

  /** The function with the types of each of its instances, where they differ. */
  eachTyped(): readonly Fn[] {
    const { unit, file, decl, instanceTypes = [] } = this;
    const different = new Map(instanceTypes.map((types) => [JSON.stringify([...types]), types]));
    if (different.size < 2) return [this];
    return [...different.values()].map(
      (given) => new Fn(unit, file, decl, { ...this, types: typesWithin(decl, this.types, [given]) }),
    );
  }

  /** Another function of the program in its file, whatever launches it. */
  of(fn: FunctionDecl, callSites?: readonly CallSite[]): Fn {
    const { unit, file, program, types } = this;
    return new Fn(unit, program.fileOf(fn) ?? file, fn, { program, types, ...(callSites && { callSites }) });
  }

  /** Another function, seen as if in the place of this one. */
  inside(fn: FunctionDecl, file = this.file): Fn {
    return new Fn(this.unit, file, fn, this);
  }

  /** The polynomial of an integer expression, as `polynomialOf` says. */
  index(expr: Expr): Index | undefined {
    return polynomialOf(expr, this);
  }

  /** What the head of a `for` loop says, with the variable that it counts with. */
  counted(stmt: Stmt): LocalLoop | undefined {
    const head = counted(stmt);
    const local = head && counterOf(head, this.locals);
    return local && { ...head, local };
  }

  get typing(): Typing {
    return typingOf(this);
  }

  /** The launches that start a kernel of a name, whether or not the text says which one. */
  launchSites(name: string): readonly LaunchSite[] {
    return stepsOf(sitesIn(this).byName.get(name) ?? []);
  }
}

export interface LaunchSite {
  readonly launch: LaunchExpr;
  readonly host: Fn;
  readonly kernel?: FunctionDecl;
}

interface Sites {
  readonly all: readonly LaunchSite[];
  /** By the last part of the name that is launched. */
  readonly byName: ReadonlyMap<string, readonly LaunchSite[]>;
  readonly byLaunch: ReadonlyMap<LaunchExpr, LaunchSite>;
}

/**
 * The `<<<…>>>` launches in all files of the unit. A name that several kernels of as many parameters share binds
 * to none.
 */
export function launchSitesOf(fn: Fn): readonly LaunchSite[] {
  return stepsOf(sitesIn(fn).all);
}

/** That of them which a launch is, or that of a launch of the function that is none of the text's. */
export function launchSiteAt(fn: Fn, launch: LaunchExpr): LaunchSite {
  return sitesIn(fn).byLaunch.get(launch) ?? siteOf(fn, launch);
}

function siteOf(host: Fn, launch: LaunchExpr): LaunchSite {
  const { callee, args } = launch;
  const kernels =
    callee.kind === 'name'
      ? startedBy(
          { written: callee.name, within: host.decl.qualifiedName, given: args.length },
          kernelsNamed(host.program, callee.name),
        )
      : [];
  return { launch, host, ...(kernels.length === 1 ? { kernel: kernels[0]! } : {}) };
}

const sitesIn = once(findSites, ({ unit }) => unit);
function findSites(fn: Fn): Sites {
  const sites: LaunchSite[] = [];
  const { program, types } = fn;
  for (const decl of functionsWith(fn.unit, ['<<<'])) {
    const file = program.fileOf(decl);
    if (!decl.body || !file) continue;
    let host: Fn | undefined;
    for (const node of launchesIn(decl)) {
      host ??= new Fn(fn.unit, file, decl, { program, types });
      sites.push(siteOf(host, node));
    }
  }
  const byName = new Map<string, LaunchSite[]>();
  for (const site of sites) {
    const { callee } = site.launch;
    const name = callee.kind === 'name' ? lastPart(callee.name) : '';
    append(byName, name, site);
  }
  return { all: sites, byName, byLaunch: new Map(sites.map((site) => [site.launch, site])) };
}

/** The launch that a statement is, or that is all it does where it does not throw: as a lambda called in its place. */
export function launchOf(statement: Stmt): LaunchExpr | undefined {
  if (statement.kind === 'block' || statement.kind === 'case') return onlyLaunchOf(statement.body);
  if (statement.kind === 'switch') return launchOf(statement.body);
  if (statement.kind !== 'expr' && statement.kind !== 'return') return undefined;
  const expr = statement.kind === 'expr' ? statement.expr : statement.value;
  if (expr?.kind === 'launch') return expr;
  if (expr?.kind !== 'call' || expr.callee.kind !== 'lambda' || expr.args.length > 0) return undefined;
  return launchOf(expr.callee.body);
}

function onlyLaunchOf(statements: readonly Stmt[]): LaunchExpr | undefined {
  const doing = statements.filter((each) => each.kind !== 'type' && each.kind !== 'empty' && !onlyThrows(each));
  return doing.length === 1 ? launchOf(doing[0]!) : undefined;
}

function onlyThrows(statement: Stmt): boolean {
  return statement.kind === 'case' ? statement.body.length > 0 && statement.body.every(throws) : throws(statement);
}

/** The `<<<…>>>` launches of one function, with a grid and a block each. */
export const launchesIn = oncePerBody((fn): readonly LaunchExpr[] =>
  localsOf(fn).nodes.flatMap((node) => (node.kind === 'launch' && node.config.length >= 2 ? [node] : [])),
);
