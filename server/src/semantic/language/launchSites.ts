// Every kernel launch that the text of a unit makes, with the function it is in and the kernel it starts.
import { append, once, oncePerBody } from './append';
import type { FunctionDecl, LaunchExpr, Stmt } from '../../syntax/ast';
import { functionsWith, lastPart } from './program';
import { stepsOf } from '../steps';
import { Fn } from './fn';
import { kernelsNamed, startedBy } from './launchedKernels';
import { localsOf, throws } from './scope';

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

/** Those of them that start a kernel of this name, whether or not the text says which one. */
export function launchSitesNamed(fn: Fn, name: string): readonly LaunchSite[] {
  return stepsOf(sitesIn(fn).byName.get(name) ?? []);
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
