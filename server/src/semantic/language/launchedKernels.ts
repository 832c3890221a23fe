// Which kernel a launch starts where several have its name: by the scopes that C++ looks in, and by its arguments.
import type { FunctionDecl } from '../../syntax/ast';
import { lastPart, type Program } from './program';

/** A launch's name and where it stands. */
export interface Launching {
  /** As it is written: `detail::sum`. */
  readonly written: string;
  /** The qualified name of the function around it. */
  readonly within: string;
  /** How many arguments it gives; absent where packs or pointers hide it. */
  readonly given?: number;
}

/** The kernels of a unit with this last part of their name. */
export function kernelsNamed(program: Program, name: string): readonly FunctionDecl[] {
  return program.functions(name).filter((fn) => fn.global && fn.body);
}

/** Of the kernels of that name those which the launch may start; all of them where nothing tells them apart. */
export function startedBy(launch: Launching, named: readonly FunctionDecl[]): readonly FunctionDecl[] {
  const { given } = launch;
  const taking = given === undefined ? named : named.filter((kernel) => takes(kernel, given));
  if (taking.length < 2) return taking;
  const written = launch.written.replace(/^::/, '');
  const scopes = written === launch.written ? launch.within.split('::').slice(0, -1) : [];
  for (let depth = scopes.length; depth >= 0; depth--) {
    const qualified = [...scopes.slice(0, depth), written].join('::');
    const found = taking.filter((kernel) => kernel.qualifiedName === qualified);
    if (found.length > 0) return found;
  }
  return taking;
}

/** The same of one kernel; `named` are all kernels of the last part of its name. */
export function mayStart(launch: Launching, kernel: FunctionDecl, named: readonly FunctionDecl[]): boolean {
  return lastPart(launch.written) === kernel.name && startedBy(launch, named).includes(kernel);
}

function takes(kernel: FunctionDecl, given: number): boolean {
  const needed = kernel.params.filter((param) => !param.init && !param.pack).length;
  return given >= needed && (given <= kernel.params.length || kernel.params.some((param) => param.pack));
}
