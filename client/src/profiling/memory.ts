// What was profiled in this workspace, newest first, and where: so that the second time nothing has to be asked.
import type { Memento } from 'vscode';
import type { RunConfiguration } from './runConfiguration';

/** A configuration that was run, and the folder it belongs to. */
export interface RememberedRun {
  readonly root: string;
  readonly configuration: RunConfiguration;
  /** The kernel that alone was measured the last time; absent when all were. */
  readonly kernel?: string;
  /** The files over whose kernels it was started. */
  readonly files?: readonly string[];
}

export interface Memory {
  readonly runs: readonly RememberedRun[];
  /** The host that was chosen in this workspace; undefined when none was. */
  readonly host: string | undefined;
  /** The newest run that was started from a file, or that builds it. */
  runFor(file: string): RememberedRun | undefined;
  keep(run: RememberedRun, from?: string): Promise<void>;
  forget(run: RememberedRun): Promise<void>;
  chooseHost(host: string | undefined): Promise<void>;
}

const mostRuns = 10;
const runsKey = 'warplens.profile.runs';
const hostKey = 'warplens.profile.host';

export function createMemory(state: Memento): Memory {
  const runs = (): readonly RememberedRun[] => {
    const kept = state.get<readonly RememberedRun[]>(runsKey);
    return Array.isArray(kept) ? kept : [];
  };
  return {
    get runs() {
      return runs();
    },
    get host() {
      return state.get<string>(hostKey);
    },
    runFor: (file) => runs().find((run) => run.files?.includes(file)),
    async keep(run, from) {
      const same = runs().find((known) => keyOf(known) === keyOf(run));
      const files = [
        ...new Set([...(from === undefined ? [] : [from]), ...(same?.files ?? []), ...(run.files ?? [])]),
      ].slice(0, 50);
      // A file belongs to the run that it was last started with.
      const others = runs()
        .filter((known) => known !== same)
        .map((known) =>
          from !== undefined && known.files?.includes(from)
            ? { ...known, files: known.files.filter((file) => file !== from) }
            : known,
        );
      await state.update(runsKey, [{ ...run, files }, ...others].slice(0, mostRuns));
    },
    async forget(run) {
      await state.update(
        runsKey,
        runs().filter((known) => keyOf(known) !== keyOf(run)),
      );
    },
    async chooseHost(host) {
      await state.update(hostKey, host);
    },
  };
}

/** The choice of one kernel does not make it another run. */
function keyOf({ root, configuration }: RememberedRun): string {
  return JSON.stringify([root, Object.entries(configuration).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
