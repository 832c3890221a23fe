// Whether "Problems by Cost" lists hints: a button in its title, remembered for the workspace.
import { commands, EventEmitter, type Disposable, type Event, type Memento } from 'vscode';

export interface HintFilter extends Disposable {
  readonly listsHints: boolean;
  readonly onDidChange: Event<void>;
}

const key = 'warplens.problems.hintsListed';

export function createHintFilter(memory: Memento): HintFilter {
  const changed = new EventEmitter<void>();
  let listsHints = memory.get<boolean>(key) === true;
  const tell = (): void => void commands.executeCommand('setContext', key, listsHints);
  const choose = async (next: boolean): Promise<void> => {
    if (next === listsHints) return;
    listsHints = next;
    tell();
    changed.fire();
    await memory.update(key, next);
  };
  tell();
  const registered = [
    commands.registerCommand('warplens.problems.showHints', () => choose(true)),
    commands.registerCommand('warplens.problems.hideHints', () => choose(false)),
  ];
  return {
    get listsHints() {
      return listsHints;
    },
    onDidChange: changed.event,
    dispose() {
      for (const one of registered) one.dispose();
      changed.dispose();
    },
  };
}
