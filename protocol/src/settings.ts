// The settings of Warplens as editors and the command line give them.

/** A severity, `off`, `default`, or an object with `severity` and the rule's own options. */
export type RuleSettingInput = string | { readonly severity?: string; readonly [option: string]: unknown };

export interface WarplensSettings {
  /**
   * A GPU of the table by name (`H100`), or an architecture (`sm_90`); `auto` takes the architecture of the build, else
   * the default.
   */
  readonly gpu: string;
  /** Macros by name, as with `-D`. */
  readonly defines: Readonly<Record<string, string>>;
  /** Folders to look for included files, absolute or relative to the workspace folder. */
  readonly includeDirs: readonly string[];
  readonly useCompileCommands: boolean;
  readonly rules: Readonly<Record<string, RuleSettingInput>>;
  /** Names of folders and files, `*` for any characters, in which findings other than errors are hints. */
  readonly quietPaths: readonly string[];
}

export const defaultSettings: WarplensSettings = {
  gpu: 'auto',
  defines: {},
  includeDirs: [],
  useCompileCommands: true,
  rules: {},
  quietPaths: [
    'test',
    'tests',
    'unittest',
    'unittests',
    '*_test.*',
    '*_tests.*',
    'generated',
    '*generated.*',
    'autogen',
    'third_party',
    'third-party',
    'thirdparty',
    '3rdparty',
    'vendor',
  ],
};

/** The settings of an editor. In an editor `includeDirs` is called `includeFolders`. */
export interface EditorSettings extends WarplensSettings {
  /** The ratio of sectors or wavefronts to their ideal at the end of a slow access. */
  readonly inlayHints: boolean;
  /** Compiler feedback at the end of a loop. */
  readonly compilerHints: boolean;
  /** A line over each kernel: the launch shapes found and how many accesses are bad. */
  readonly codeLens: boolean;
  /** Milliseconds without a keystroke after which a file is re-read. */
  readonly debounce: number;
  /** Whether the workspace is searched for the files that launch a kernel. */
  readonly indexWorkspace: boolean;
  /** Resources of kernels by name, where neither a build nor a profile gives them. */
  readonly kernelResources: Readonly<Record<string, GivenResources>>;
  /** `changed`: findings that the last commit has, too, are hints. */
  readonly show: 'all' | 'changed';
  /** Whether the log says how long each file took. */
  readonly timings: boolean;
}

/** Registers of a thread, and static shared memory of a block in bytes. */
export interface GivenResources {
  readonly registers: number;
  readonly sharedBytes?: number;
}

export const defaultEditorSettings: EditorSettings = {
  ...defaultSettings,
  inlayHints: true,
  compilerHints: true,
  codeLens: true,
  debounce: 100,
  indexWorkspace: true,
  kernelResources: {},
  show: 'all',
  timings: false,
};

/** A setting as an editor shows it: a JSON schema with a description in Markdown. The key follows `warplens.`. */
export interface SettingDefinition {
  readonly type: 'string' | 'boolean' | 'number' | 'array' | 'object';
  readonly default: unknown;
  readonly markdownDescription: string;
  readonly scope: 'resource' | 'window';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly type: 'string'; readonly pattern?: string; readonly patternErrorMessage?: string };
  readonly propertyNames?: { readonly pattern: string; readonly patternErrorMessage: string };
  readonly additionalProperties?: { readonly type: 'string' | 'object'; readonly errorMessage?: string };
  /** VS Code's own: what it says of a value of another type. */
  readonly errorMessage?: string;
}

/** Every setting but those of the rules, which are printed from the rules themselves. */
export const settingDefinitions: Readonly<Record<string, SettingDefinition>> = {
  gpu: {
    type: 'string',
    default: 'auto',
    scope: 'resource',
    markdownDescription:
      'GPU for which figures are computed: a name such as `H100`, an architecture such as `sm_90`, or ' +
      '`auto` for the architecture of the build (`compile_commands.json`), else H100.',
  },
  defines: {
    type: 'object',
    default: {},
    scope: 'resource',
    errorMessage: 'Use an object with macro names and texts, such as { "BLOCK": "256" }.',
    propertyNames: {
      pattern: '^[A-Za-z_]\\w*$',
      patternErrorMessage: 'Not a valid macro name. Write the name here and its text as the value: "BLOCK": "256".',
    },
    additionalProperties: { type: 'string', errorMessage: 'Write the text of the macro in quotes, such as "256".' },
    markdownDescription:
      'Macros by name, as with `-D`: `{ "BLOCK": "256" }`. They override those in `compile_commands.json`.',
  },
  includeFolders: {
    type: 'array',
    default: [],
    scope: 'resource',
    items: {
      type: 'string',
      pattern: '^(?!-I)(?!.*(?:[*]|\\$\\{)).*\\S',
      patternErrorMessage: 'Name one folder, without -I, wildcards and variables.',
    },
    markdownDescription:
      'Include folders, absolute or relative to the workspace folder, in addition to those in ' +
      '`compile_commands.json`.',
  },
  useCompileCommands: {
    type: 'boolean',
    default: true,
    scope: 'resource',
    markdownDescription:
      'Read macros, include folders and the architecture of a file from `compile_commands.json`. It is ' +
      'searched in the folder of the file and its parents, and in their build folders.',
  },
  quietPaths: {
    type: 'array',
    default: defaultSettings.quietPaths,
    scope: 'resource',
    items: { type: 'string' },
    markdownDescription:
      'Names of folders and files (`*` matches any characters) in which findings other than errors are ' +
      'hints: tests and generated code. Folder names apply below the workspace folder.',
  },
  show: {
    type: 'string',
    default: 'all',
    enum: ['all', 'changed'],
    scope: 'resource',
    markdownDescription:
      'Which findings keep their severity: `all`, or `changed` for those that are new or more severe than in the ' +
      'last commit; the others are hints. Files that are not in git keep all.',
  },
  inlayHints: {
    type: 'boolean',
    default: true,
    scope: 'resource',
    markdownDescription:
      'Show the ratio of sectors or wavefronts to their ideal at the end of each access that is off it; an interval ' +
      'where the code leaves it open.',
  },
  codeLens: {
    type: 'boolean',
    default: true,
    scope: 'resource',
    markdownDescription: 'Show the launch shapes and the number of slow accesses above each kernel.',
  },
  'compilerFeedback.inlayHints': {
    type: 'boolean',
    default: true,
    scope: 'resource',
    markdownDescription:
      'Show the compiler feedback of a loop at its end (`nvc: gang, vector(128)`) once a build log was ' + 'read.',
  },
  'compilerFeedback.files': {
    type: 'array',
    default: [],
    scope: 'resource',
    items: { type: 'string' },
    markdownDescription:
      'Build logs to read when they change (`nvc -Minfo=accel`, `gcc -fopt-info-omp`, ' +
      '`*.opt-record.json.gz`), as patterns below the workspace folder: `build/*.log`.',
  },
  debounce: {
    type: 'number',
    default: 100,
    minimum: 0,
    maximum: 5000,
    scope: 'window',
    markdownDescription: 'Longest pause in typing, in milliseconds, after which a file is re-read.',
  },
  indexWorkspace: {
    type: 'boolean',
    default: true,
    scope: 'resource',
    markdownDescription:
      'Search the workspace for launches of kernels that are defined in another file, such as a header.',
  },
  kernelResources: {
    type: 'object',
    default: {},
    scope: 'resource',
    additionalProperties: { type: 'object' },
    markdownDescription:
      'Resources of kernels by name, for the occupancy in their hover: `{ "saxpy": { "registers": 32, ' +
      '"sharedBytes": 4096 } }` (registers per thread, static shared memory per block). Resources from a ' +
      'build (`-Xptxas -v`) or an open profile are used without this setting.',
  },
  'profile.pathMap': {
    type: 'object',
    default: {},
    scope: 'window',
    additionalProperties: { type: 'string' },
    markdownDescription:
      'Folders on the machine that compiled, and the matching folders here: `{ "/build/src": ' +
      '"${workspaceFolder}/src" }`. The sources of a report are searched there first, then at their own ' +
      'paths, then in the workspace by name and content.',
  },
  'trace.timings': {
    type: 'boolean',
    default: false,
    scope: 'window',
    markdownDescription: 'Log the analysis time of each file.',
  },
};
