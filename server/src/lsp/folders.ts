// The workspace folders, each with its settings, its build's flags and its index of launches.
import { sep } from 'node:path';
import { defaultEditorSettings, type EditorSettings, type WarplensSettings } from '../../../protocol/src/settings';
import { isQuietPath } from '../workspace/quietPaths';
import type { RuleSetting } from '../lint/settings';
import { mergedRules } from '../workspace/configurationFile';
import type { Syntax } from '../syntax';
import { createSourceIndex } from '../workspace/sourceIndex';
import { createWorkspace, type Workspace } from '../workspace/workspace';
import type { Addresses } from './addresses';
import { createLaunchIndex, wholeFolder, type LaunchIndex } from './launchIndex';
import type { OpenFiles } from './openFiles';

export interface Folder {
  /** Absent for the folder of all files that lie in no workspace folder. */
  readonly uri?: string | undefined;
  readonly path?: string | undefined;
  readonly workspace: Workspace;
  readonly index: LaunchIndex;
  settings: EditorSettings;
}

export type Folders = ReturnType<typeof createFolders>;

/** What holds for the rules in a document: settings that differ from their defaults win over the project file. */
export function rulesOf({ workspace, settings }: Folder, uri: string): ReadonlyMap<string, RuleSetting> {
  return mergedRules(workspace.configurationOf(uri), settings.rules);
}

/**
 * The settings that the user chose in the editor. An editor sends defaults, too: what equals its default is not chosen.
 */
export function chosenIn(settings: EditorSettings): Partial<WarplensSettings> {
  const { gpu, defines, includeDirs, useCompileCommands } = settings;
  return { ...(gpu === defaultEditorSettings.gpu ? {} : { gpu }), defines, includeDirs, useCompileCommands };
}

/**
 * Whether a document is a test or generated, by `quietPaths` or the project file; of one outside of all folders its
 * name alone decides.
 */
export function isQuiet({ uri: top, settings, workspace }: Folder, uri: string, path: string): boolean {
  const byProject = workspace.configurationOf(uri)?.isQuiet;
  if (byProject && settings.quietPaths.join('\n') === defaultEditorSettings.quietPaths.join('\n'))
    return byProject(path);
  const isInside = top !== undefined && uri.startsWith(`${top.replace(/\/$/, '')}/`);
  const below = isInside ? uri.slice(top.replace(/\/$/, '').length + 1) : uri.slice(uri.lastIndexOf('/') + 1);
  return isQuietPath(decoded(below), settings.quietPaths);
}
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface FolderOptions {
  readonly syntax: Syntax;
  readonly files: OpenFiles;
  readonly addresses: Addresses;
  readonly onLaunchesChanged: (uris: readonly string[]) => void;
  /** The files of a folder were looked through: headers may be seen from other sources now. */
  readonly onSearched: (folder: Folder) => void;
  readonly idle: () => Promise<void>;
  readonly log: (sentence: string) => void;
}

export function createFolders(options: FolderOptions) {
  const { syntax, files, addresses } = options;
  const outside = create(undefined);
  const inside = new Map<string, Folder>();

  function create(uri: string | undefined): Folder {
    const path = uri === undefined ? undefined : addresses.toPath(uri);
    const toPath = (each: string): string => addresses.toPath(each, path);
    // What is read for the index alone is not remembered.
    const sources = createSourceIndex({ read: files.peek, version: files.version });
    const index: LaunchIndex = createLaunchIndex({
      fileSystem: files,
      sources,
      toPath,
      parse: (each) => workspace.launchesIn(each),
      onChange: options.onLaunchesChanged,
      onSearched: () => {
        if (folder.settings.indexWorkspace) options.onSearched(folder);
      },
      idle: options.idle,
      log: options.log,
    });
    const folder: Folder = {
      uri,
      path,
      index,
      settings: defaultEditorSettings,
      workspace: createWorkspace({
        fileSystem: files,
        syntax,
        root: path,
        index: sources,
        toPath,
        toUri: addresses.toUri,
        launchesElsewhere: (each, kernels) =>
          folder.settings.indexWorkspace ? index.launchesFor(each, kernels) : new Map(),
      }),
    };
    const { workspace } = folder;
    return folder;
  }

  return {
    /** The innermost folder that holds a document. */
    of(uri: string): Folder {
      const path = addresses.toPath(uri, [...inside.values()][0]?.path);
      let best = outside;
      for (const folder of inside.values()) {
        if (
          folder.path !== undefined &&
          (path === folder.path || path.startsWith(folder.path.endsWith(sep) ? folder.path : folder.path + sep)) &&
          folder.path.length > (best.path?.length ?? -1)
        )
          best = folder;
      }
      return best;
    },
    all: (): readonly Folder[] => [...inside.values(), outside],
    add(uri: string): Folder {
      const folder = create(uri);
      inside.set(uri, folder);
      return folder;
    },
    remove(uri: string): void {
      inside.delete(uri);
    },
  };
}

export { wholeFolder };
