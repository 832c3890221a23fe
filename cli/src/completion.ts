// warplens completion: a script by which a shell completes commands and options.
import { Command } from 'commander';
import { BadUse } from './badUse';
import type { Terminal } from './options';

/** `addAll` adds every command with its options. */
export function registerCompletion(
  program: Command,
  terminal: Terminal,
  addAll: (program: Command) => Promise<void>,
): void {
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const all = new Command('warplens');
      await addAll(all);
      const write = scripts[shell];
      if (!write) throw new BadUse(`There is no completion for "${shell}". Use ${Object.keys(scripts).join(', ')}.`);
      terminal.print(write(all.commands));
    });
}

const longOptionsOf = ({ options }: Command): string[] =>
  options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (each) => `    ${each.name()}) words="${[...longOptionsOf(each), '--help'].join(' ')}" ;;`,
  );
  return [
    '_warplens() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" words=""',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map((each) => each.name()).join(' ')}"`,
    '  elif [[ "$word" == -* ]]; then case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _warplens warplens',
  ].join('\n');
}

const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
  fish: (commands) =>
    commands
      .flatMap((command) => [
        `complete -c warplens -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
        ...command.options
          .filter(({ long, hidden }) => long && !hidden)
          .map(
            ({ long, short, description }) =>
              `complete -c warplens -n '__fish_seen_subcommand_from ${command.name()}' -l ${long!.slice(2)}` +
              `${short ? ` -s ${short.slice(1)}` : ''} -d ${quoted(description)}`,
          ),
      ])
      .join('\n'),
};

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
