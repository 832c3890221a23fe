// A machine that builds and runs programs, this one or one behind ssh: which one, and what it can do.
import type { Stage } from './problem';

/** Which machine, and how to get there. */
export interface HostChoice {
  /** What ssh calls a destination (`gpu`, `me@gpu`, `ssh://me@gpu:2222`); undefined is this machine. */
  readonly destination?: string | undefined;
  /** Words put before each tool that is run (`srun --gres=gpu:1`): the launcher of a scheduler or a container. */
  readonly launcher?: readonly string[] | undefined;
  /** An ssh configuration file to use in place of ~/.ssh/config. */
  readonly sshConfig?: string | undefined;
  /**
   * Folder on the host in which the scratch folder is made; a leading `~/` is the home there. Default: its temporary
   * folder.
   */
  readonly scratchIn?: string | undefined;
  /** Which `ssh` to run; the user's, from PATH, by default. */
  readonly ssh?: string;
}

export interface RunOptions {
  readonly stage: Stage;
  readonly signal?: AbortSignal | undefined;
  /** Folder on the host to run in; the scratch folder by default. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Folders on the host to append to PATH. */
  readonly path?: readonly string[];
  /** Whether the launcher goes in front. Default true: only housekeeping runs without. */
  readonly launched?: boolean;
  /** Both streams as they come, already decoded. */
  readonly onText?: (stream: 'output' | 'error', text: string) => void;
  /** The output as bytes; it is then not gathered. */
  readonly onBytes?: (chunk: Buffer) => void;
  /** Characters to keep of the beginning and of the end of each stream; 256 KB by default. */
  readonly keptCharacters?: number;
  /** Receives a function that interrupts the command as Ctrl-C would, once it runs. */
  readonly onStarted?: (interrupt: () => void) => void;
}

export interface RunOutcome {
  /** The command's exit status; 128 + n when signal n ended it; 127 when there is no such command. */
  readonly status: number;
  /** The beginning and the end of each stream (`keptText`). */
  readonly output: string;
  readonly errors: string;
}

export interface Host {
  /** `this machine` or the destination. */
  readonly name: string;
  readonly isLocal: boolean;
  /** The private folder on the host which vanishes when the host is closed or lost. */
  readonly scratch: string;
  readonly launcher: readonly string[];
  /**
   * Runs one command. Arguments arrive as they are, whatever they hold. Standard input is empty. Rejects with a
   * ProfileProblem when the signal aborts (after the command's processes are gone), when the connection is lost, or
   * when the launcher does not work.
   */
  run(argv: readonly string[], options: RunOptions): Promise<RunOutcome>;
  /** Writes a file on the host, folders included. `content` is text or the path of a file here. */
  send(
    content: { readonly text: string } | { readonly file: string },
    path: string,
    stage: Stage,
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Copies the files of a folder here into a folder on the host. Version control and `node_modules` stay here, ignored
   * files too where rsync is on both sides.
   */
  sendFolder(folder: string, path: string, stage: Stage, signal?: AbortSignal): Promise<void>;
  /**
   * Copies a file from the host to `path` here: whole or not at all. `onBytes` hears how many of how many bytes are
   * here; `accept` sees the copy before it takes its place, and rejects to refuse it.
   */
  fetch(
    from: string,
    path: string,
    stage: Stage,
    signal?: AbortSignal,
    onBytes?: (have: number, all: number) => void,
    accept?: (copy: string) => Promise<void>,
  ): Promise<void>;
  /**
   * Ends everything on the host and removes the scratch folder, or leaves it (`keep`). Says whether the host confirmed
   * it. Never rejects.
   */
  close(keep?: boolean): Promise<'removed' | 'kept' | 'unconfirmed'>;
}
