// The command of a task of VS Code as a shell reads it, so that it can run where the GPU is.
import { ProcessExecution, ShellExecution, ShellQuoting, tasks, type ShellQuotedString, type Task } from 'vscode';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import { quoteForShell } from '../../../profiler/src/transport/quoting';
import type { TaskCommand } from './runConfiguration';

/** Tasks that run a command; others (of extensions that do the work themselves) cannot run on another machine. */
export async function runnableTasks(): Promise<Task[]> {
  return (await tasks.fetchTasks()).filter((task) => commandOf(task) !== undefined);
}

/** The command of a task by its name. Throws a ProfileProblem when there is none. */
export async function taskCommand(name: string): Promise<TaskCommand> {
  const found = (await tasks.fetchTasks()).find((task) => task.name === name);
  const command = found && commandOf(found);
  if (command) return command;
  throw new ProfileProblem(
    'preflight',
    'bad-setting',
    found ? `The task "${name}" has no command.` : `Unknown task "${name}".`,
    'Choose another task, or give the command.',
  );
}

export function commandOf({ execution }: Task): TaskCommand | undefined {
  if (execution instanceof ProcessExecution) {
    return {
      command: [execution.process, ...execution.args].map(plainOrQuoted).join(' '),
      folder: execution.options?.cwd,
      environment: execution.options?.env,
    };
  }
  if (!(execution instanceof ShellExecution)) return undefined;
  const word = (value: string | ShellQuotedString): string =>
    typeof value === 'string'
      ? value
      : value.quoting === ShellQuoting.Strong
        ? quoteForShell(value.value)
        : plainOrQuoted(value.value);
  const command =
    execution.commandLine ??
    (execution.command === undefined ? undefined : [execution.command, ...(execution.args ?? [])].map(word).join(' '));
  return command === undefined
    ? undefined
    : { command, folder: execution.options?.cwd, environment: execution.options?.env };
}

/** Variables of VS Code are put in before a shell sees the word, so they are no reason to quote. */
function plainOrQuoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : quoteForShell(word);
}
