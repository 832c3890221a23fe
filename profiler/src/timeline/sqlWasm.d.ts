// What is used of sql.js, in the build that carries its wasm in itself.
declare module 'sql.js/dist/sql-wasm-inline.js' {
  /** A 64-bit integer comes as a number. */
  export type SqlValue = number | string | Uint8Array | null;
  export interface Statement {
    step(): boolean;
    getAsObject(): Record<string, SqlValue>;
    free(): boolean;
  }
  export interface Database {
    prepare(sql: string): Statement;
    run(sql: string, values?: readonly SqlValue[]): Database;
    export(): Uint8Array;
    close(): void;
  }
  export interface Engine {
    readonly Database: new (bytes?: Uint8Array) => Database;
  }
  const start: () => Promise<Engine>;
  export default start;
}
