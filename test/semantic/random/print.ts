// Prints a random kernel as CUDA, with the place of every access, and as plain C++ that says what each thread touches.
import {
  accessesOf,
  expressionsOf,
  isLoop,
  statements,
  type Access,
  type Expr,
  type Callee,
  type Kernel,
  type Stmt,
} from './kernel';

export interface Printed {
  readonly text: string;
  /** Offset of each access expression in the text, by place. */
  readonly starts: ReadonlyMap<number, number>;
}

/** Structures with fields that the element types name. */
const structures = `struct Three { int a, b, c; };
struct Five { float a, b, c, d, e; };
struct Mixed { double a; float b; short c[6]; };
struct __align__(16) Aligned { int a, b, c, d; };
`;

export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return expr.type === 'unsigned' ? `${expr.value}u` : expr.value < 0 ? `(${expr.value})` : String(expr.value);
    case 'variable':
      return expr.name;
    case 'unary':
      return `${expr.operator}(${printExpr(expr.operand)})`;
    case 'binary':
      return `(${printExpr(expr.left)} ${expr.operator} ${printExpr(expr.right)})`;
    case 'conditional':
      return `(${printExpr(expr.condition)} ? ${printExpr(expr.consequent)} : ${printExpr(expr.otherwise)})`;
    case 'cast':
      return `(${expr.type})(${printExpr(expr.operand)})`;
    case 'call': {
      const args = expr.args.map((arg) => unwrapped(printExpr(arg))).join(', ');
      return `${expr.callee.name}${expr.callee.form === 'template' ? `<${expr.callee.constant}>` : ''}(${args})`;
    }
  }
}
/** Without the parentheses around the whole. */
function unwrapped(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at === text.length - 1 ? text.slice(1, -1) : text;
  }
  return text;
}
const written = (expr: Expr): string => unwrapped(printExpr(expr));

function calleesOf(kernel: Kernel): Callee[] {
  const found = new Map<string, Callee>();
  for (const stmt of statements(kernel.body))
    for (const expr of expressionsOf(stmt)) if (expr.kind === 'call') found.set(expr.callee.name, expr.callee);
  return [...found.values()];
}
function printCallee(callee: Callee, qualifier: string): string {
  const body = written(callee.body);
  if (callee.form === 'macro') {
    const inner = printMacroBody(callee);
    return `#define ${callee.name}(${callee.parameters.join(', ')}) ${inner}`;
  }
  const parameters = callee.parameters.map((name) => `int ${name}`).join(', ');
  const template = callee.form === 'template' ? 'template <int N> ' : '';
  return `${template}${qualifier}int ${callee.name}(${parameters}) { return ${body}; }`;
}
/** A macro's parameters are in parentheses, as careful people write them. */
function printMacroBody(callee: Callee): string {
  const names = new Set(callee.parameters);
  const wrap = (expr: Expr): string => {
    switch (expr.kind) {
      case 'variable':
        return names.has(expr.name) ? `(${expr.name})` : expr.name;
      case 'binary':
        return `(${wrap(expr.left)} ${expr.operator} ${wrap(expr.right)})`;
      case 'unary':
        return `${expr.operator}(${wrap(expr.operand)})`;
      case 'conditional':
        return `(${wrap(expr.condition)} ? ${wrap(expr.consequent)} : ${wrap(expr.otherwise)})`;
      default:
        return printExpr(expr);
    }
  };
  return wrap(callee.body);
}

/** Extents of the shared arrays, from the highest indices that are used. */
export type Extents = ReadonlyMap<number, readonly number[]>;

/** The kernel as a CUDA source with a `main` that launches it. */
export function printCuda(kernel: Kernel, extents: Extents): Printed {
  const accesses = accessesOf(kernel);
  const starts = new Map<number, number>();
  let text = structures;
  for (const callee of calleesOf(kernel)) text += `${printCallee(callee, '__device__ ')}\n`;
  for (const access of accesses) {
    if (!access.through) continue;
    const { name, type } = access.array;
    text += `__device__ ${type.name} at_${name}(const ${type.name} *${name}, int i) { return `;
    starts.set(access.place, text.length);
    text += `${name}[${written(access.through)}]; }\n`;
  }
  const globals = accesses.filter((access) => access.array.space === 'global');
  const pointers = globals.map(
    ({ array, mode }) => `${mode === 'load' ? 'const ' : ''}${array.type.name} *${array.name}`,
  );
  const arguments_ = kernel.parameters.filter(({ template }) => !template);
  const templates = kernel.parameters.filter(({ template }) => template);
  const integers = arguments_.map(({ name }) => `int ${name}`);
  if (templates.length) text += `template <${templates.map(({ name }) => `int ${name}`).join(', ')}>\n`;
  text += `__global__ void kernel(${[...pointers, ...integers, 'float *result'].join(', ')}) {\n`;
  for (const { array, place } of accesses) {
    if (array.space !== 'shared') continue;
    const sizes = extents.get(place)!.map((size) => `[${size}]`);
    if (array.dynamic) text += `  extern __shared__ ${array.type.name} ${array.name}[];\n`;
    else text += `  __shared__ ${array.type.name} ${array.name}${sizes.join('')};\n`;
  }
  text += '  float sum = 0;\n';
  const print = (body: readonly Stmt[], indent: string): void => {
    for (const stmt of body) {
      text += indent;
      if (stmt.kind === 'access') printAccess(stmt);
      else if (stmt.kind === 'if' || isLoop(stmt)) {
        text += `${headOf(stmt)} {\n`;
        print(stmt.kind === 'if' ? stmt.consequent : stmt.body, `${indent}  `);
        text += `${indent}}`;
        if (stmt.kind === 'do') text += ` while (${written(stmt.condition)});`;
        if (stmt.kind === 'if' && stmt.otherwise) {
          text += ' else {\n';
          print(stmt.otherwise, `${indent}  `);
          text += `${indent}}`;
        }
        text += '\n';
      } else text += `${plain(stmt)}\n`;
    }
  };
  const printAccess = (access: Access): void => {
    const { array, index, mode, through, row } = access;
    const { type } = array;
    const pointer = row ? `row${access.place}` : array.name;
    if (row) {
      const qualifier = mode === 'load' ? 'const ' : '';
      text += `${qualifier}${type.name} *${pointer} = ${array.name} + ${printExpr(row)}; `;
    }
    const expression = `${pointer}${index.map((each) => `[${written(each)}]`).join('')}${type.field ?? ''}`;
    if (through) {
      text += `sum += at_${array.name}(${array.name}, ${written(index[0]!)});\n`;
      return;
    }
    const place = (before: string, after: string): void => {
      text += before;
      starts.set(access.place, text.length);
      text += `${expression}${after}`;
    };
    if (mode === 'update') place('', ' += 1;\n');
    else if (type.components) {
      const value = `moved${access.place}`;
      if (mode === 'load')
        place(
          `const ${type.name} ${value} = `,
          `; sum += ${type.components.map((each) => `${value}.${each}`).join(' + ')};\n`,
        );
      else place('', ` = make_${type.name}(${type.components.map((_, at) => `sum + ${at}`).join(', ')});\n`);
    } else if (mode === 'load') place('sum += ', ';\n');
    else place('', ' = sum + 3;\n');
  };
  print(kernel.body, '  ');
  text += '  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n}\n';
  const [grid, block] = [kernel.grid, kernel.block].map((extent) => `dim3(${extent.join(', ')})`);
  text += 'int main() {\n';
  for (const { array } of globals)
    text += `  ${array.type.name} *${array.name};\n  cudaMalloc(&${array.name}, 1 << 26);\n`;
  text += '  float *result;\n  cudaMalloc(&result, 1 << 20);\n';
  const args = [...globals.map(({ array }) => array.name), ...arguments_.map(({ value }) => String(value)), 'result'];
  const dynamic = accesses.find(({ array }) => array.dynamic);
  const bytes = dynamic ? `, ${extents.get(dynamic.place)![0]! * dynamic.array.type.bytes}` : '';
  const chosen = templates.length ? `<${templates.map(({ value }) => value).join(', ')}>` : '';
  text += `  kernel${chosen}<<<${grid}, ${block}${bytes}>>>(${args.join(', ')});\n`;
  text += '  return cudaDeviceSynchronize();\n}\n';
  return { text, starts };
}

function headOf(stmt: Stmt & { kind: 'if' | 'for' | 'while' | 'do' }): string {
  if (stmt.kind === 'do') return 'do';
  if (stmt.kind !== 'for') return `${stmt.kind} (${written(stmt.condition)})`;
  const step = plain(stmt.step).slice(0, -1);
  return `for (${stmt.type} ${stmt.name} = ${written(stmt.start)}; ${written(stmt.condition)}; ${step})`;
}
function plain(stmt: Stmt): string {
  switch (stmt.kind) {
    case 'declare':
      return `${stmt.type} ${stmt.name} = ${written(stmt.value)};`;
    case 'assign': {
      const one = stmt.value.kind === 'number' && stmt.value.value === 1;
      if (one && (stmt.operator === '+=' || stmt.operator === '-='))
        return `${stmt.name}${stmt.operator === '+=' ? '++' : '--'};`;
      return `${stmt.name} ${stmt.operator} ${written(stmt.value)};`;
    }
    default:
      return `${stmt.kind};`;
  }
}

/** The kernel as C++ whose `main` prints `PLACE INDEX[,INDEX]` of every access, threads in order. */
export function printProof(kernel: Kernel): string {
  let text = '#include <cstdio>\nstruct Place { unsigned x, y, z; };\n';
  const extent = (name: string, [x, y, z]: readonly number[]): string =>
    `static const Place ${name} = {${x}, ${y}, ${z}};\n`;
  text += `static Place threadIdx, blockIdx;\n${extent('blockDim', kernel.block)}${extent('gridDim', kernel.grid)}`;
  for (const callee of calleesOf(kernel)) text += `${printCallee(callee, 'static ')}\n`;
  text += `static void kernel(${kernel.parameters.map(({ name }) => `int ${name}`).join(', ')}) {\n`;
  const print = (body: readonly Stmt[]): void => {
    for (const stmt of body) {
      if (stmt.kind === 'access') {
        const values = stmt.index.map((each) => `(long long)(${written(each)})`);
        if (stmt.row) values[0] += ` + (long long)(${written(stmt.row)})`;
        if (stmt.through)
          text += `{ const int i = ${written(stmt.index[0]!)}; const long long a = ${written(stmt.through)};
printf("${stmt.place} %lld\\n", a); }\n`;
        else text += `printf("${stmt.place} ${values.map(() => '%lld').join(',')}\\n", ${values.join(', ')});\n`;
      } else if (stmt.kind === 'if' || isLoop(stmt)) {
        text += `${headOf(stmt)} {\n`;
        print(stmt.kind === 'if' ? stmt.consequent : stmt.body);
        text += '}';
        if (stmt.kind === 'do') text += ` while (${written(stmt.condition)});`;
        if (stmt.kind === 'if' && stmt.otherwise) {
          text += ' else {\n';
          print(stmt.otherwise);
          text += '}';
        }
        text += '\n';
      } else text += `${plain(stmt)}\n`;
    }
  };
  print(kernel.body);
  text += '}\nint main() {\n';
  for (const axis of ['z', 'y', 'x']) text += loopOver(`blockIdx.${axis}`, `gridDim.${axis}`);
  for (const axis of ['z', 'y', 'x']) text += loopOver(`threadIdx.${axis}`, `blockDim.${axis}`);
  text += `  kernel(${kernel.parameters.map(({ value }) => value).join(', ')});\n}\n`;
  return text;
}
function loopOver(name: string, end: string): string {
  return `  for (${name} = 0; ${name} < ${end}; ${name}++)\n`;
}
