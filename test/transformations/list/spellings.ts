// The same statements in other words: loops, guards, indices and launches as other authors write them.
import type { Expr, ForStmt, IfStmt, IndexExpr, Stmt } from '../../../server/src/syntax';
import type { Change, Marked } from '../marked';
import { elementOf, typeText, type Kernel, type Place, type Program, type Transformation } from '../program';

type Node = { readonly kind?: string; readonly macro?: unknown } & Place;

/** The nodes of a kernel's body that no macro wrote, the outer before the inner. */
function nodesIn({ decl }: Kernel, kind: string): Node[] {
  const found: Node[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { kind: its, macro } = node as Node;
    if (macro !== undefined) return;
    if (its === kind) found.push(node as Node);
    for (const each of Object.values(node)) visit(each);
  };
  visit(decl.body);
  return found;
}

function holds(node: unknown, kinds: readonly string[]): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return kinds.includes((node as Node).kind ?? '') || Object.values(node).some((each) => holds(each, kinds));
}

function inKernels(name: string, changesOf: (program: Program, kernel: Kernel) => readonly Change[]): Transformation {
  return {
    name,
    apply(program) {
      const changes = program.kernels.flatMap((kernel) => [...changesOf(program, kernel)]);
      return changes.length ? program.changed(changes) : undefined;
    },
  };
}

const at = ({ decl }: Kernel, { start, end }: Place): Place => ({ start: decl.base + start, end: decl.base + end });

/** `a[i]` as `*(a + (i))` where `a` is a parameter; those within another are left alone. */
const pointers = inKernels('pointer arithmetic', (program, kernel) => {
  let behind = -1;
  return nodesIn(kernel, 'index').flatMap((node): Change[] => {
    const { base, index } = node as unknown as IndexExpr;
    const param = base.kind === 'name' && kernel.params.find(({ name }) => name === base.name);
    if (!param || elementOf(param.syntax) === undefined || node.start < behind) return [];
    behind = node.end;
    const [array, offset] = [program.slice(at(kernel, base)), program.slice(at(kernel, index))];
    return [{ ...at(kernel, node), by: ['(*(', array, ' + (', offset, ')))'] }];
  });
});

const whiles = inKernels('while loops', (program, kernel) => {
  let behind = -1;
  return nodesIn(kernel, 'for').flatMap((node): Change[] => {
    const { init, cond, step, body } = node as unknown as ForStmt;
    if (!cond || !step || body.kind !== 'block' || holds(body, ['continue']) || node.start < behind) return [];
    behind = node.end;
    const said = (part: Place): Marked => program.slice(at(kernel, part));
    const { start, end } = at(kernel, body);
    const before = program.text.slice(0, at(kernel, node).start);
    if (/#\s*pragma[^\n]*\n\s*$/.test(before)) return [];
    return [
      {
        ...at(kernel, node),
        by: [
          '{ ',
          ...(init ? [said(init), /;\s*$/.test(said(init).text) ? ' ' : '; '] : []),
          'while (',
          said(cond),
          ') {',
          program.slice({ start: start + 1, end: end - 1 }),
          '  ',
          said(step),
          '; } }',
        ],
      },
    ];
  });
});

/** `if (c) { … }` at the end of a kernel as `if (!(c)) return; …`. */
const guards = inKernels('guard that returns', (program, kernel) => {
  const statements = (kernel.decl.body as unknown as { readonly body: readonly Stmt[] }).body;
  const last = statements.at(-1);
  if (last?.kind !== 'if' || last.macro || last.init || last.constexpr) return [];
  const { cond, then, else: otherwise } = last as IfStmt;
  if (otherwise || then.kind !== 'block') return [];
  const { start, end } = at(kernel, then);
  return [
    {
      ...at(kernel, last),
      by: ['if (!(', program.slice(at(kernel, cond)), ')) return;', program.slice({ start: start + 1, end: end - 1 })],
    },
  ];
});

const global = /\bblockIdx\.([xyz]) \* blockDim\.\1 \+ threadIdx\.\1\b/g;
const indices: Transformation = {
  name: 'index by a function',
  apply(program) {
    const names = new Map<string, string>();
    const changes = program.kernels.flatMap(({ body }) =>
      [...program.textOf(body).matchAll(global)].map(({ 0: said, 1: axis, index }): Change => {
        const name = names.get(axis!) ?? program.fresh(`global${axis!.toUpperCase()}`);
        names.set(axis!, name);
        return { start: body.start + index, end: body.start + index + said.length, by: [`${name}()`] };
      }),
    );
    const start = Math.min(...program.kernels.map((kernel) => kernel.start));
    const texts = [...names].map(
      ([axis, name]) =>
        `__device__ __forceinline__ unsigned int ${name}() { return blockIdx.${axis} * blockDim.${axis} + threadIdx.${axis}; }\n`,
    );
    return changes.length ? program.changed([{ start, end: start, by: texts }, ...changes]) : undefined;
  },
};

const inDevice = inKernels('body in a device function', (program, kernel) => {
  const name = program.fresh(`${kernel.decl.name}Body`);
  const { params, body, start } = kernel;
  if (params.some(({ name: its, text }) => !its || text.includes('='))) return [];
  return [
    {
      start,
      end: start,
      by: [
        `__device__ __forceinline__ void ${name}(${params.map(({ text }) => text).join(', ')}) `,
        program.slice(body),
        '\n\n',
      ],
    },
    { ...body, by: [`{ ${name}(${params.map(({ name: its }) => its).join(', ')}); }`] },
  ];
});

const launcher: Transformation = {
  name: 'launch by a variadic template',
  apply(program) {
    const name = program.fresh('launchKernel');
    const changes = program.kernels.flatMap(({ launches }) =>
      launches.flatMap(({ start, end, callee, config, args }): Change[] => {
        if (config.length > 3) return [];
        const parts = [...config.slice(0, 2), ...(config[2] ? [config[2]] : [])].map((part) => program.slice(part));
        const [grid, block, bytes] = parts;
        return [
          {
            start,
            end,
            by: [
              `${name}(`,
              program.slice(callee),
              ', ',
              grid!,
              ', ',
              block!,
              ', ',
              bytes ?? '0',
              ...args.flatMap((arg) => [', ', program.slice(arg)]),
              ')',
            ],
          },
        ];
      }),
    );
    if (!changes.length) return undefined;
    return program.changed([
      {
        start: program.kernels[0]!.start,
        end: program.kernels[0]!.start,
        by: [
          'template <typename... Parameters, typename... Arguments>\n' +
            `void ${name}(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t bytes, Arguments... arguments) {\n` +
            '  kernel<<<grid, block, bytes>>>(arguments...);\n}\n\n',
        ],
      },
      ...changes,
    ]);
  },
};

/** The launch of the runtime API, its arguments by address. */
const runtime: Transformation = {
  name: 'launch by cudaLaunchKernel',
  apply(program) {
    const changes = program.kernels.flatMap(({ launches, params }) => {
      const types = params.map(({ syntax }) => typeText(syntax));
      if (types.some((type) => type === undefined)) return [];
      return launches.flatMap(({ statement, callee, config, args }): Change[] => {
        if (!statement || args.length !== params.length) return [];
        const names = args.map((_, index) => program.fresh(`argument${index}`));
        return [
          {
            ...statement,
            by: [
              '{ ',
              ...args.flatMap((arg, index) => [
                `${types[index]!.replace(/^const (?=[^*]*$)/, '')} ${names[index]} = `,
                program.slice(arg),
                '; ',
              ]),
              names.length > 0
                ? `void *list[] = {${names.map((each) => `(void *)&${each}`).join(', ')}}; `
                : 'void **list = nullptr; ',
              'cudaLaunchKernel((const void *)',
              program.slice(callee),
              ', ',
              program.slice(config[0]!),
              ', ',
              program.slice(config[1]!),
              ', list, ',
              config[2] ? program.slice(config[2]) : '0',
              ', ',
              config[3] ? program.slice(config[3]) : '0',
              '); }',
            ],
          },
        ];
      });
    });
    return changes.length ? program.changed(changes) : undefined;
  },
};

/** Grid and block in variables before the launch. */
const shapes: Transformation = {
  name: 'launch shape in variables',
  apply(program) {
    const changes = program.kernels.flatMap(({ launches }) =>
      launches.flatMap(({ statement, config }): Change[] => {
        if (!statement) return [];
        const [grid, block] = [program.fresh('gridShape'), program.fresh('blockShape')];
        return [
          {
            start: statement.start,
            end: statement.start,
            by: [`{ dim3 ${grid}(`, program.slice(config[0]!), `), ${block}(`, program.slice(config[1]!), '); '],
          },
          { ...config[0]!, by: [grid] },
          { ...config[1]!, by: [block] },
          { start: statement.end, end: statement.end, by: [' }'] },
        ];
      }),
    );
    return changes.length ? program.changed(changes) : undefined;
  },
};

/** `row * width + column` by a macro of three. */
const macro: Transformation = {
  name: 'index by a macro',
  apply(program) {
    const name = program.fresh('AT');
    const changes = program.kernels.flatMap((kernel) =>
      nodesIn(kernel, 'index').flatMap((node): Change[] => {
        const { index } = node as unknown as IndexExpr;
        if (index.kind !== 'binary' || index.op !== '+') return [];
        const { left, right } = index as unknown as { readonly left: Expr; readonly right: Expr };
        if (left.kind !== 'binary' || left.op !== '*' || holds(index, ['index', 'call'])) return [];
        const { left: row, right: width } = left as unknown as { readonly left: Expr; readonly right: Expr };
        const said = (part: Place): Marked => program.slice(at(kernel, part));
        return [{ ...at(kernel, index), by: [`${name}(`, said(row), ', ', said(width), ', ', said(right), ')'] }];
      }),
    );
    const start = Math.min(...program.kernels.map((kernel) => kernel.start));
    const text = `#define ${name}(row, width, column) ((row) * (width) + (column))\n`;
    return changes.length ? program.changed([{ start, end: start, by: [text] }, ...changes]) : undefined;
  },
};

export const spellings: readonly Transformation[] = [
  pointers,
  whiles,
  guards,
  indices,
  macro,
  inDevice,
  launcher,
  runtime,
  shapes,
];
