// The language of the random kernels: integers of 32 bits, accesses, branches and loops, as plain trees of our own.

export type IntType = 'int' | 'unsigned';
export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '&&'
  | '||';
export type Expr =
  | { readonly kind: 'number'; readonly value: number; readonly type: IntType }
  /** A local, a parameter, or `threadIdx.x` and its like. */
  | { readonly kind: 'variable'; readonly name: string; readonly type: IntType }
  | { readonly kind: 'unary'; readonly operator: '-' | '~' | '!'; readonly operand: Expr }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'conditional'; readonly condition: Expr; readonly consequent: Expr; readonly otherwise: Expr }
  | { readonly kind: 'cast'; readonly type: IntType; readonly operand: Expr }
  | { readonly kind: 'call'; readonly callee: Callee; readonly args: readonly Expr[] };

/** A function, template or macro of integers; a template has one constant, `N`. */
export interface Callee {
  readonly name: string;
  readonly form: 'function' | 'template' | 'macro';
  readonly parameters: readonly string[];
  readonly constant?: number;
  readonly body: Expr;
}

/** What an access moves: `pieces` instructions of `unit` bytes a lane, from `offset` within an element. */
export interface ElementType {
  readonly name: string;
  readonly bytes: number;
  readonly unit: number;
  readonly pieces: number;
  readonly offset: number;
  readonly field?: string;
  /** Components of a vector type that is moved whole. */
  readonly components?: readonly string[];
}
export interface ArrayOf {
  readonly name: string;
  readonly type: ElementType;
  readonly space: 'global' | 'shared';
  /** Absent for one dimension. In elements; the number of rows follows from what is used. */
  readonly columns?: number;
  /** `extern __shared__`: at most one array of a kernel. */
  readonly dynamic?: boolean;
}

export type AssignOperator = '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '<<=' | '>>=' | '&=' | '|=' | '^=';
export interface Assign {
  readonly kind: 'assign';
  readonly name: string;
  readonly type: IntType;
  readonly operator: AssignOperator;
  readonly value: Expr;
}
export interface Access {
  readonly kind: 'access';
  readonly place: number;
  readonly array: ArrayOf;
  /** One index, or row and column. */
  readonly index: readonly Expr[];
  readonly mode: 'load' | 'store' | 'update';
  /** Reached through a separate device function, whose index is this expression of its parameter `i`. */
  readonly through?: Expr;
  /** Reached through a local pointer that stands this many elements into the array. */
  readonly row?: Expr;
}
export type Stmt =
  | { readonly kind: 'declare'; readonly name: string; readonly type: IntType; readonly value: Expr }
  | Assign
  | Access
  | {
      readonly kind: 'if';
      readonly condition: Expr;
      readonly consequent: readonly Stmt[];
      readonly otherwise?: readonly Stmt[];
    }
  | {
      readonly kind: 'for';
      readonly name: string;
      readonly type: IntType;
      readonly start: Expr;
      readonly condition: Expr;
      readonly step: Assign;
      readonly body: readonly Stmt[];
    }
  | { readonly kind: 'while' | 'do'; readonly condition: Expr; readonly body: readonly Stmt[] }
  | { readonly kind: 'return' | 'break' | 'continue' };

export interface Kernel {
  readonly block: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
  /** Integer parameters with the values that the launch gives, as arguments or as template arguments. */
  readonly parameters: readonly { readonly name: string; readonly value: number; readonly template?: boolean }[];
  readonly body: readonly Stmt[];
}

const compare = new Set<BinaryOperator>(['<', '<=', '>', '>=', '==', '!=', '&&', '||']);

/** The type of an expression after C's usual conversions. */
export function typeOf(expr: Expr, types: ReadonlyMap<string, IntType> = new Map()): IntType {
  switch (expr.kind) {
    case 'number':
    case 'cast':
      return expr.type;
    case 'variable':
      return types.get(expr.name) ?? expr.type;
    case 'unary':
      return expr.operator === '!' ? 'int' : typeOf(expr.operand, types);
    case 'binary': {
      if (compare.has(expr.operator)) return 'int';
      const left = typeOf(expr.left, types);
      if (expr.operator === '<<' || expr.operator === '>>') return left;
      return left === 'unsigned' || typeOf(expr.right, types) === 'unsigned' ? 'unsigned' : 'int';
    }
    case 'conditional':
      return typeOf(expr.consequent, types) === 'unsigned' || typeOf(expr.otherwise, types) === 'unsigned'
        ? 'unsigned'
        : 'int';
    case 'call':
      if (expr.callee.form !== 'macro') return 'int';
      return typeOf(
        expr.callee.body,
        new Map(expr.callee.parameters.map((name, at) => [name, typeOf(expr.args[at]!, types)])),
      );
  }
}

export function isLoop(stmt: Stmt): stmt is Stmt & { readonly kind: 'for' | 'while' | 'do' } {
  return stmt.kind === 'for' || stmt.kind === 'while' || stmt.kind === 'do';
}

/** Every statement, outer before inner. */
export function* statements(body: readonly Stmt[]): Generator<Stmt> {
  for (const stmt of body) {
    yield stmt;
    if (stmt.kind === 'if') {
      yield* statements(stmt.consequent);
      yield* statements(stmt.otherwise ?? []);
    } else if (isLoop(stmt)) yield* statements(stmt.body);
  }
}
export function accessesOf(kernel: Kernel): Access[] {
  return [...statements(kernel.body)].filter((stmt) => stmt.kind === 'access');
}

/** Every expression of a statement itself, with all of their parts. */
export function* expressionsOf(stmt: Stmt): Generator<Expr> {
  switch (stmt.kind) {
    case 'declare':
    case 'assign':
      yield* parts(stmt.value);
      break;
    case 'access':
      for (const index of stmt.index) yield* parts(index);
      if (stmt.through) yield* parts(stmt.through);
      if (stmt.row) yield* parts(stmt.row);
      break;
    case 'if':
    case 'while':
    case 'do':
      yield* parts(stmt.condition);
      break;
    case 'for':
      yield* parts(stmt.start);
      yield* parts(stmt.condition);
      yield* parts(stmt.step.value);
      break;
    default:
  }
}
function* parts(expr: Expr): Generator<Expr> {
  yield expr;
  switch (expr.kind) {
    case 'unary':
    case 'cast':
      yield* parts(expr.operand);
      break;
    case 'binary':
      yield* parts(expr.left);
      yield* parts(expr.right);
      break;
    case 'conditional':
      yield* parts(expr.condition);
      yield* parts(expr.consequent);
      yield* parts(expr.otherwise);
      break;
    case 'call':
      for (const arg of expr.args) yield* parts(arg);
      break;
    default:
  }
}
