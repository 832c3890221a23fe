// The settings of Warplens as editors and the command line give them.

/** A severity, `off`, `default`, or an object with `severity` and the rule's own options. */
export type RuleSettingInput = string | { readonly severity?: string; readonly [option: string]: unknown };

export interface WarplensSettings {
  /** A GPU of the table by name (`H100`), or an architecture (`sm_90`); `auto` takes the architecture of the build, else the default. */
  readonly gpu: string;
  /** Macros by name, as with `-D`. */
  readonly defines: Readonly<Record<string, string>>;
  /** Folders to look for included files, absolute or relative to the workspace folder. */
  readonly includeDirs: readonly string[];
  readonly useCompileCommands: boolean;
  readonly rules: Readonly<Record<string, RuleSettingInput>>;
}

export const defaultSettings: WarplensSettings = { gpu: 'auto', defines: {}, includeDirs: [], useCompileCommands: true, rules: {} };
