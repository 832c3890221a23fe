// What a thread of a kernel computes, by the loops around it: this separates compute-bound kernels from others.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  type Program,
  type Typing,
  type TypeTable,
  Fn,
  assignedNames,
  calleeName,
  childrenOf,
  costOfDivision,
  costOfFunction,
  counted,
  isConditionLoop,
  isDouble,
  isFloatFunction,
  isOverloadedMath,
  isStatement,
  lastPart,
  numberOf,
  tripsBetween,
  oncePerFunction,
} from '../language';
import { beginAlike, type Work } from '../model';

type Loops = Work['loops'];
type Sum = { -readonly [Name in keyof Work]: Work[Name] };

/** Up to so many iterations between literals the compiler writes one after the other: no head is left. */
const unrolledWhole = 32;
/** A loop that halves a number that is not known begins at the size of a block, most often. */
const usualBlock = 256;
/** Loops around that no literal counts, for the choice between two arms. */
const usualWeight = 32;
/** Calls are followed until a kernel has work in so many places. */
const mostPlaces = 256;

/**
 * By places between loops, in known functions too. Of two arms the one with more, so that it may be less and is seldom
 * more. A function that calls itself adds nothing by that.
 */
export const workOfThread = oncePerFunction(
  (decl, { program, types }: { readonly program: Program; readonly types: TypeTable }): readonly Work[] => {
    const file = program.fileOf(decl);
    return decl.body && file ? new Counter(new Fn(program.unit, file, decl, { program, types })).whole(decl) : [];
  },
  [],
);

/** A place in the making, and the names that its loop gives values. */
interface Level {
  readonly sum: Sum;
  readonly assigned: ReadonlySet<string>;
}

class Counter {
  private readonly typing: Typing;
  private places: Sum[] = [];
  /** The body and the loops around, innermost last. */
  private levels: Level[] = [];

  constructor(private readonly fn: Fn) {
    this.typing = fn.typing;
  }

  whole(decl: FunctionDecl): readonly Work[] {
    this.levels = [{ sum: this.place(decl.body!, []), assigned: new Set() }];
    this.visit(decl.body!);
    return this.places.filter(({ slots }) => slots > 0);
  }

  private place(node: AnySyntax, loops: Loops): Sum {
    const made: Sum = { at: this.fn.span(node), loops, calls: 1, slots: 0, doubles: 0, conversions: 0 };
    this.places.push(made);
    return made;
  }

  private get inner(): number {
    return this.levels.length - 1;
  }

  /** Counts what a node does where its operands last change; the level is that of the node's value. */
  private visit(node: AnySyntax): number {
    if (isConditionLoop(node)) return this.visitLoop(node);
    switch (node.kind) {
      case 'number':
      case 'string':
      case 'sizeof':
        return 0;
      case 'name':
        return this.levels.findLastIndex(({ assigned }, at) => at === 0 || assigned.has(node.name));
      case 'if':
        return this.visitArms(node);
      default:
    }
    const level = childrenOf(node).reduce((most, child) => Math.max(most, this.visit(child)), 0);
    const { sum } = this.levels[level]!;
    switch (node.kind) {
      case 'binary':
        this.operate(node, sum);
        return level;
      case 'member':
        return level;
      case 'unary':
        if (node.op === '~') sum.slots++;
        return node.op === '*' ? this.inner : level;
      case 'cast':
        this.convert(node.operand, this.isDouble(node), sum);
        return level;
      case 'conditional':
        sum.slots++;
        return level;
      case 'call':
        return this.call(node, level);
      case 'assign':
        this.operate(node, this.levels[this.inner]!.sum);
        return this.inner;
      case 'update':
        this.levels[this.inner]!.sum.slots++;
        return this.inner;
      case 'decl':
        for (const { init, type } of node.vars)
          if (init) this.convert(init, type.kind === 'named' && type.name === 'double', sum);
        return this.inner;
      default:
        return this.inner;
    }
  }

  private visitLoop(node: Extract<Stmt, { kind: 'for' | 'while' | 'do' }>): number {
    const trips = this.tripsOf(node);
    const { loops } = this.levels[this.inner]!.sum;
    const sum = this.place(node, [{ at: this.fn.span(node), ...(trips === undefined ? {} : { trips }) }, ...loops]);
    if (node.kind === 'for' && node.init) this.visit(node.init);
    const declared = localsWithin(node);
    this.levels.push({ sum, assigned: new Set([...assignedNames(node), ...declared]) });
    const head = node.kind === 'for' ? [node.cond, node.step] : [node.cond];
    for (const part of head) if (part && !(trips! <= unrolledWhole)) this.visit(part);
    this.visit(node.body);
    this.levels.pop();
    return this.inner;
  }

  /** Between numbers; of a loop that halves or doubles from a number that is not known, as many as are usual. */
  private tripsOf(node: Stmt): number | undefined {
    const head = counted(node);
    if (!head) return undefined;
    const number = (expr: Expr): number | undefined => numberOf(expr, this.fn);
    if (head.step) {
      const trips = tripsBetween(head, number);
      return trips === undefined ? undefined : Math.max(1, trips);
    }
    const { step } = head.loop;
    const factor = step?.kind === 'assign' && /^(?:[*/]|<<|>>)=$/.test(step.op) ? number(step.value) : undefined;
    if (!head.bound || factor === undefined || step?.kind !== 'assign') return undefined;
    const [from, to] = [number(head.first), number(head.bound.end)];
    const ratio = /^[<>]/.test(step.op) ? 2 ** factor : factor;
    const most =
      Math.max(from ?? usualBlock, to ?? usualBlock) / Math.max(1, Math.min(from ?? Infinity, to ?? Infinity));
    return ratio > 1 ? Math.max(1, Math.round(Math.log2(most) / Math.log2(ratio))) : undefined;
  }

  private visitArms(node: Extract<Stmt, { kind: 'if' }>): number {
    this.visit(node.cond);
    const outside = this.places;
    const level = this.levels.pop()!;
    const arms = [node.then, ...(node.else ? [node.else] : [])].map((arm) => {
      const own: Sum = { ...level.sum, slots: 0, doubles: 0, conversions: 0 };
      this.places = [];
      this.levels.push({ ...level, sum: own });
      this.visit(arm);
      this.levels.pop();
      return { own, places: this.places, weight: [own, ...this.places].reduce((all, one) => all + weightOf(one), 0) };
    });
    this.levels.push(level);
    const longer = arms.reduce((most, one) => (one.weight > most.weight ? one : most));
    add(level.sum, longer.own);
    this.places = [...outside, ...longer.places];
    return this.inner;
  }

  /** An operator: a sum with a product in it is one instruction. */
  private operate(node: Extract<Expr, { kind: 'binary' | 'assign' }>, sum: Sum): void {
    const op = node.kind === 'assign' ? node.op.slice(0, -1) : node.op;
    const [left, right] = node.kind === 'assign' ? [node.target, node.value] : [node.left, node.right];
    if (node.kind === 'assign') this.convert(right, this.isDouble(left), sum);
    if (op === '' || op === ',' || op === '&&' || op === '||') return;
    const double = this.isDouble(left) || this.isDouble(right);
    if (op === '/' || op === '%') {
      const { slots, doubles } = costOfDivision(left, right, this.fn);
      sum.slots += slots;
      sum.doubles += doubles;
    } else if (!((op === '+' || op === '-') && (isProduct(left) || isProduct(right)))) {
      sum.slots++;
      if (double) sum.doubles++;
    }
    if (double && node.kind === 'binary') for (const one of [left, right]) this.convert(one, true, sum);
  }

  private call(node: Extract<Expr, { kind: 'call' }>, level: number): number {
    const { callee } = node;
    const { program, types } = this.fn;
    // `Type{…}()` calls the operator of what it makes.
    const made = callee.kind === 'call' ? calleeName(callee) : undefined;
    const name =
      made !== undefined ? `${made}::operator()` : callee.kind === 'member' ? callee.field : calleeName(node);
    if (name === undefined) return this.inner;
    const held = callee.kind === 'name' ? this.typing.typeOf(callee) : undefined;
    const operators =
      held?.kind === 'struct' ? held.decl?.methods.filter((each) => each.name === 'operator()') : undefined;
    const called = (operators ?? program.functions(lastPart(name))).find(
      ({ body, qualifiedName }) => body && (operators || !name.includes('::') || qualifiedName.endsWith(name)),
    );
    if (!called) {
      const isMathematics = isOverloadedMath(lastPart(name)) || isFloatFunction(lastPart(name));
      const { sum } = this.levels[isMathematics ? level : this.inner]!;
      const cost = costOfFunction(lastPart(name), this.isDouble(node));
      sum.slots += cost?.slots ?? (this.typing.conversionOf(node) ? 0 : 1);
      sum.doubles += cost?.doubles ?? 0;
      if (cost) for (const arg of node.args) this.convert(arg, this.isDouble(node), sum);
      return isMathematics ? level : this.inner;
    }
    const around = this.levels[this.inner]!.sum.loops;
    const work = workOfThread(called, { program, types });
    const isMany = this.places.length + work.length > mostPlaces;
    for (const one of isMany ? [] : work) {
      const loops = [...one.loops, ...around];
      const same = this.places.find(({ at, loops: others }) => beginAlike(at, one.at) && areSame(others, loops));
      if (same) {
        add(same, one);
        same.calls += one.calls;
      } else this.places.push({ ...one, loops });
    }
    return this.inner;
  }

  /** Numbers are converted where the program is compiled. */
  private convert(expr: Expr, toDouble: boolean, sum: Sum): void {
    if (expr.kind === 'number') return;
    const from = this.typing.typeOf(expr);
    if (from?.kind === 'scalar' && isDouble(from) !== toDouble && (toDouble || isDouble(from))) sum.conversions++;
  }

  private isDouble(expr: Expr): boolean {
    return isDouble(this.typing.typeOf(expr));
  }
}

function localsWithin(node: AnySyntax): string[] {
  if (node.kind === 'decl') return node.vars.map(({ name }) => name);
  return childrenOf(node).flatMap((child) => (isStatement(child) ? localsWithin(child) : []));
}

function add(sum: Sum, one: Work): void {
  sum.slots += one.slots;
  sum.doubles += one.doubles;
  sum.conversions += one.conversions;
}

function weightOf({ slots, loops }: Work): number {
  return slots * loops.reduce((product, { trips = usualWeight }) => product * trips, 1);
}

function isProduct(expr: Expr): boolean {
  return expr.kind === 'binary' && expr.op === '*';
}

function areSame(some: Loops, others: Loops): boolean {
  return some.length === others.length && some.every(({ at }, nth) => beginAlike(at, others[nth]!.at));
}

/** `for (int i = 0; i < 4; i++)`: iterations between two literals. */
export function literalTrips(stmt: Stmt): number | undefined {
  const head = counted(stmt);
  if (!head?.declared || head.step?.sign !== 1 || head.step.by) return undefined;
  const trips = tripsBetween(head, (expr) => (expr.kind === 'number' ? expr.value : undefined));
  return trips === undefined ? undefined : Math.max(1, trips);
}
