// Holds the shown report: its kernels, its sources on this machine, and the metric and kernel shown.
import { basename, extname } from 'node:path';
import { EventEmitter, FileType, Uri, workspace, Disposable, type Event, type TextDocument } from 'vscode';
import {
  nameOf,
  locateSource,
  recordedSources,
  resemblingSource,
  type PathMap,
  type RecordedSource,
  type WorkspaceFiles,
} from '../../../profiler/src/lines/sourceMapping';
import { bytesSource, describeDevice, openReport, type ByteSource } from '../../../profiler/src/report';
import { marksOfAll, type Mark, type OverlayMetric } from '../../../profiler/src/overlay/marks';
import { disassemblyPath, readKeptDisassembly, type KeptDisassembly } from '../../../profiler/src/sass/keptDisassembly';
import { gatherKernels } from '../../../profiler/src/overlay/kernels';
import { isUsersFile, pathOf, uriOf } from '../paths';
import { changeMarks } from '../../../profiler/src/overlay/changeMarks';
import { findWorkspaceFiles } from '../workspaceFiles';
import { compareProfiles, type Comparison } from './comparison';
import type { PlacedSource, Profile } from './profile';

/** Sources that only the report holds are shown under this scheme; the query is the path that the compiler wrote. */
export const embeddedScheme = 'warplens-source';

/** What a machine with a disk adds; none in a browser. */
export interface ReportDisk {
  /** Reads a report in parts; undefined for one that is on no disk. */
  openReport(uri: Uri): Promise<(ByteSource & { close(): Promise<void> }) | undefined>;
  /** Folders of the compiler's paths and of this machine, for a report of the history. */
  foldersOf(report: Uri): Promise<readonly PathMap[]>;
  /** The user's home folder. */
  home(): string;
}

let disk: ReportDisk | undefined;
/** To be called before a report is read. */
export function useDisk(given: ReportDisk): void {
  disk = given;
}

export interface ProfileStore extends Disposable {
  readonly active: Profile | undefined;
  readonly metric: OverlayMetric;
  /** Name of the one kernel that is shown; all when undefined. */
  readonly kernel: string | undefined;
  /** Set while the lines show the difference to another report, and not a metric. */
  readonly comparison: Comparison | undefined;
  /** Heard when something else is to be shown. */
  readonly onDidChange: Event<void>;
  /** Heard when the user opens a report. */
  readonly onDidOpen: Event<Profile>;
  /** Reads a report without showing it; undefined when stopped. Throws with a sentence for the user. */
  load(uri: Uri, went?: (done: number, all: number) => boolean): Promise<Profile | undefined>;
  /** `opened` is false where a setting, and not the user, asks for it. */
  show(profile: Profile, opened?: boolean): void;
  choose(choice: { readonly metric?: OverlayMetric; readonly kernel?: string | null }): void;
  /** Lays the difference to an earlier report over the lines of the shown one; with none the metric is shown again. */
  compareWith(earlier: { readonly name: string; readonly profile: Profile } | undefined): void;
  clear(): void;
  /** Marks of the shown metric and kernel, heaviest first. */
  marks(): readonly Mark[];
}

export function createProfileStore(): ProfileStore {
  const changed = new EventEmitter<void>();
  const opening = new EventEmitter<Profile>();
  const loads = new Map<string, { readonly stamp: string; readonly profile: Promise<Profile | undefined> }>();
  let active: Profile | undefined;
  let metric: OverlayMetric = 'samples';
  let kernel: string | undefined;
  let comparison: Comparison | undefined;
  let marks: readonly Mark[] | undefined;
  const fire = (): void => {
    marks = undefined;
    changed.fire();
  };

  /** Looks for sources again; `wants` leaves out those that cannot have moved. */
  async function placeAgain(wants: (path: string, place: PlacedSource) => boolean): Promise<void> {
    const profile = active;
    if (!profile) return;
    let found = false;
    for (const [path, known] of profile.places) {
      if (!wants(path, known)) continue;
      profile.places.set(path, await place(profile.uri, profile.recorded.get(path) ?? { path, bytes: 0, modified: 0 }));
      found = true;
    }
    if (found && profile === active) fire();
  }

  /** A source that is nowhere under its own name may be this document under another one. */
  function placeRenamed(document: TextDocument): boolean {
    const profile = active;
    if (!profile || !isUsersFile(document.uri) || document.getText().length > largestSource) return false;
    let found = false;
    const ending = extname(document.uri.path);
    for (const [path, { location }] of profile.places) {
      const recorded = profile.recorded.get(path);
      if (!recorded || (location.state !== 'embedded' && location.state !== 'missing') || extname(path) !== ending)
        continue;
      const resembling = resemblingSource(recorded, pathOf(document.uri), document.getText());
      if (!resembling) continue;
      profile.places.set(path, { location: resembling, uri: document.uri, profiled: recorded.text! });
      found = true;
    }
    return found;
  }

  const heard = [
    workspace.onDidOpenTextDocument((document) => {
      if (document.uri.scheme === embeddedScheme) return;
      const name = basename(document.uri.path);
      void placeAgain((path, { location }) => nameOf(path) === name && location.state !== 'same').then(() => {
        if (placeRenamed(document)) fire();
      });
    }),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('warplens.profile.pathMap')) void placeAgain(() => true);
    }),
  ];

  return {
    get active() {
      return active;
    },
    get metric() {
      return metric;
    },
    get kernel() {
      return kernel;
    },
    get comparison() {
      return comparison;
    },
    onDidChange: changed.event,
    onDidOpen: opening.event,
    async load(uri, went = () => true) {
      const key = uri.toString();
      const stamp = await stampOf(uri);
      const known = loads.get(key);
      if (known?.stamp === stamp) {
        const profile = await known.profile.catch(() => undefined);
        if (profile) {
          // The report is the same, but the sources may have come or gone.
          for (const path of profile.places.keys())
            profile.places.set(path, await place(uri, profile.recorded.get(path) ?? { path, bytes: 0, modified: 0 }));
          return profile;
        }
      }
      const profile = readProfile(uri, went);
      loads.clear();
      loads.set(key, { stamp, profile });
      return profile;
    },
    show(profile, opened = true) {
      const isOther = active !== profile;
      if (isOther) {
        kernel = undefined;
        comparison = undefined;
      }
      active = profile;
      for (const document of workspace.textDocuments) placeRenamed(document);
      fire();
      if (isOther && opened) opening.fire(profile);
    },
    choose(choice) {
      metric = choice.metric ?? metric;
      // Who asks for a metric wants to see it.
      if (choice.metric !== undefined) comparison = undefined;
      if (choice.kernel !== undefined) kernel = choice.kernel ?? undefined;
      fire();
    },
    compareWith(earlier) {
      if (!active || earlier?.profile === comparison?.earlier) return;
      comparison = earlier && compareProfiles(earlier.name, earlier.profile, active);
      fire();
    },
    clear() {
      active = undefined;
      comparison = undefined;
      kernel = undefined;
      loads.clear();
      fire();
    },
    marks: () =>
      (marks ??= comparison
        ? changeMarks(comparison.changes, kernel)
        : active
          ? marksOfAll(active.kernels, metric, kernel)
          : []),
    dispose: () => Disposable.from(...heard, changed, opening).dispose(),
  };
}

export { nameOf };
export type { PlacedSource, Profile };

/** What is to be said of a measured file beside its numbers; undefined where it is what was profiled. */
export function remarkOn(path: string, { location }: PlacedSource): string | undefined {
  switch (location.state) {
    case 'same':
      return undefined;
    case 'edited':
      return `${nameOf(path)} has changed since it was profiled: figures of kernels that changed are old.`;
    case 'unsure':
      return (
        `${nameOf(path)} has changed since it was profiled, and the report does not contain its ` +
        'source, so no line can be matched. Profile again with --import-source yes.'
      );
    case 'embedded':
      return `${nameOf(path)} is not in this workspace; the copy in the report is shown.`;
    case 'missing':
      return (
        `${nameOf(path)} was not found in the workspace or the report. Open its folder, or profile ` +
        'with --import-source yes.'
      );
  }
}

async function stampOf(uri: Uri): Promise<string> {
  try {
    const { mtime, size } = await workspace.fs.stat(uri);
    return `${mtime} ${size}`;
  } catch {
    throw new Error(`File ${pathOf(uri)} was not found.`);
  }
}

/** The bytes of a report or timeline, wherever it is; to be closed where it can be. */
export async function openReportSource(uri: Uri): Promise<ByteSource & { close?(): Promise<void> }> {
  return (await disk?.openReport(uri)) ?? bytesSource(await workspace.fs.readFile(uri));
}

/** The disassembly beside a report; undefined where there is none. Throws with a sentence where it is damaged. */
export async function keptOf(report: Uri): Promise<KeptDisassembly | undefined> {
  const beside = report.with({ path: disassemblyPath(report.path) });
  const bytes = await Promise.resolve(workspace.fs.readFile(beside)).catch(() => undefined);
  return bytes && readKeptDisassembly(bytes);
}

/** Reads a report apart from what is shown; undefined when stopped. Throws with a sentence for the user. */
export async function readProfile(
  uri: Uri,
  went: (done: number, all: number) => boolean,
): Promise<Profile | undefined> {
  const source = await openReportSource(uri);
  try {
    const report = await openReport(source);
    const kernels = await gatherKernels(report, went, { kept: await keptOf(uri).catch(() => undefined) });
    if (!kernels) return undefined;
    const recorded = await recordedSources(report);
    const places = new Map<string, PlacedSource>();
    for (const path of new Set(kernels.flatMap(({ lines }) => lines.map(({ file }) => file)))) {
      places.set(path, await place(uri, recorded.get(path) ?? { path, bytes: 0, modified: 0 }));
      if (!went(report.launches.length, report.launches.length)) return undefined;
    }
    return {
      uri,
      name: basename(uri.path),
      device: describeDevice(report),
      sessions: report.sessions,
      notIssued: report.notIssued,
      kernels,
      remarks: report.remarks,
      recorded,
      places,
    };
  } finally {
    await source.close?.();
  }
}

async function place(report: Uri, recorded: RecordedSource): Promise<PlacedSource> {
  // A report of the history knows which folder of its host is which one here.
  const location = await locateSource(recorded, [...pathMaps(), ...((await disk?.foldersOf(report)) ?? [])], files);
  if (location.state === 'embedded') {
    return {
      location,
      profiled: location.text,
      uri: Uri.from({
        scheme: embeddedScheme,
        path: `/${nameOf(recorded.path)}`,
        query: recorded.path,
        fragment: report.toString(),
      }),
    };
  }
  if (location.state === 'missing') return { location };
  // Without the profiled text, that of a file of the same length stands for it.
  const profiled = recorded.text ?? (location.state === 'same' ? await files.read(location.path) : undefined);
  return { location, uri: uriOf(location.path), profiled };
}

/** The setting `warplens.profile.pathMap`; what is no folder name in it is passed over. */
function pathMaps(): PathMap[] {
  const given = workspace.getConfiguration('warplens.profile').get<unknown>('pathMap');
  if (typeof given !== 'object' || given === null) return [];
  const first = workspace.workspaceFolders?.[0];
  const folder = first ? pathOf(first.uri) : '';
  return Object.entries(given).flatMap(([from, to]) =>
    from !== '' && typeof to === 'string' && to !== ''
      ? [
          {
            from,
            to: to.replace(/^~(?=$|[\\/])/, (tilde) => disk?.home() ?? tilde).replaceAll('${workspaceFolder}', folder),
          },
        ]
      : [],
  );
}

const largestSource = 5_000_000;

const files: WorkspaceFiles = {
  async read(path) {
    // A path comes from the report, so from anywhere: no network shares, no devices, nothing huge.
    if (/^[\\/]{2}/.test(path)) return undefined;
    const open = workspace.textDocuments.find(({ uri }) => isUsersFile(uri) && pathOf(uri) === path);
    if (open) return open.getText();
    try {
      const found = await workspace.fs.stat(uriOf(path));
      const isPlain = (found.type & FileType.File) !== 0 && found.size <= largestSource;
      return isPlain ? new TextDecoder().decode(await workspace.fs.readFile(uriOf(path))) : undefined;
    } catch {
      return undefined;
    }
  },
  async named(name) {
    const pattern = name.replace(/[[\]{}*?]/g, '[$&]');
    const found = await findWorkspaceFiles(`**/${pattern}`, { skippedFolders: ['node_modules', '.git'], most: 50 });
    return found.map(pathOf);
  },
  holds: (path) => workspace.getWorkspaceFolder(uriOf(path)) !== undefined,
};
