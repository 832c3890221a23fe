// How a file is compiled, as far as build files, settings and `warplens.json` say: for the client, which runs
// compilers.

/** `null` when the server does not read that file. */
export interface CompilationParameters {
  readonly uri: string;
}
export interface Compilation {
  readonly defines: Readonly<Record<string, string>>;
  readonly undefines: readonly string[];
  /** Absolute. */
  readonly includeDirs: readonly string[];
  /** Flags of the build that change the machine code, or without which the file does not compile. */
  readonly flags: readonly string[];
  /** `9.0` */
  readonly computeCapability: string;
}
export const compilationRequest = 'warplens/compilation';
