// What a compiler said of a line, as its log gives it: the readers make it, the mapping goes by it.

/** One sentence of a compiler about a line of a file, as its log gives it. Lines count from 1. */
export interface CompilerRemark {
  readonly compiler: 'nvhpc' | 'gcc' | 'flang';
  readonly line: number;
  /** The sentence as printed, cleaned of layout. */
  readonly text: string;
  /**
   * Levels and sizes that the compiler gave the loop at this line: `gang, vector(128)`. `vectorLength` and `workers`
   * only where it says numbers.
   */
  readonly schedule?:
    | {
        readonly gang?: boolean;
        readonly worker?: boolean;
        readonly vector?: boolean;
        readonly seq?: boolean;
        readonly vectorLength?: number;
        readonly workers?: number;
        readonly axis?: 'x' | 'y' | 'z';
        readonly collapsed?: boolean;
        /** Of the outermost loop of a collapsed nest: how many. `collapsed` is said of the inner ones. */
        readonly collapse?: number;
      }
    | undefined;
  readonly kind: 'schedule' | 'parallelizable' | 'dependence' | 'data' | 'kernel' | 'reduction' | 'routine' | 'other';
}
