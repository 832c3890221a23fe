// The questions and messages of a profile as one interface, so that a test can answer them.
import {
  QuickPickItemKind,
  ThemeIcon,
  window,
  type InputBoxOptions,
  type OpenDialogOptions,
  type OutputChannel,
  type QuickInputButton,
  type QuickPickItem,
  type Uri,
} from 'vscode';
import type { ProfileProblem } from '../../../profiler/src/transport/problem';
import { inEditorWords, problemText } from './problemWords';

export interface Asking {
  /** One of a list; with a button of the row where one was pressed. Undefined when the user turned away. */
  pick<Item extends QuickPickItem>(
    items: readonly Item[],
    options: PickOptions<Item>,
  ): Promise<{ readonly item: Item; readonly button?: QuickInputButton } | undefined>;
  /** A line of text. With `browse`, a button beside it puts the path of a file in. */
  input(
    options: InputBoxOptions & { readonly browse?: () => Promise<string | undefined> },
  ): Promise<string | undefined>;
  file(options: OpenDialogOptions): Promise<Uri | undefined>;
  say(
    level: 'information' | 'warning' | 'error',
    message: string,
    ...buttons: readonly string[]
  ): Promise<string | undefined>;
  /** A question before something is lost. */
  confirm(message: string, detail: string, button: string): Promise<boolean>;
}

export interface PickOptions<Item> {
  readonly title: string;
  readonly placeholder: string;
  /** A row for what was typed, put behind the others. */
  readonly typed?: (text: string) => Item | undefined;
}

export const askingUser: Asking = {
  pick(items, { title, placeholder, typed }) {
    return new Promise((resolve) => {
      const box = window.createQuickPick<(typeof items)[number]>();
      box.title = title;
      box.placeholder = placeholder;
      box.matchOnDescription = true;
      box.matchOnDetail = true;
      box.items = items;
      let answer: { item: (typeof items)[number]; button?: QuickInputButton } | undefined;
      box.onDidChangeValue((text) => {
        const own = text.trim() === '' ? undefined : typed?.(text.trim());
        if (typed) box.items = own ? [...items, own] : items;
      });
      box.onDidTriggerItemButton(({ item, button }) => {
        answer = { item, button };
        box.hide();
      });
      box.onDidAccept(() => {
        const [item] = box.selectedItems;
        if (!item || item.kind === QuickPickItemKind.Separator) return;
        answer = { item };
        box.hide();
      });
      box.onDidHide(() => {
        box.dispose();
        resolve(answer);
      });
      box.show();
    });
  },
  input({ browse, ...options }) {
    if (!browse) return Promise.resolve(window.showInputBox({ ignoreFocusOut: true, ...options }));
    return new Promise((resolve) => {
      const box = window.createInputBox();
      box.title = options.title;
      box.prompt = options.prompt;
      box.placeholder = options.placeHolder;
      box.value = options.value ?? '';
      // A file dialog takes the focus.
      box.ignoreFocusOut = true;
      box.buttons = [{ iconPath: new ThemeIcon('folder-opened'), tooltip: 'Browse…' }];
      let answer: string | undefined;
      let browsing = false;
      box.onDidTriggerButton(async () => {
        // The dialog may be one of the same kind, which takes the place of this one.
        browsing = true;
        const path = await browse();
        browsing = false;
        if (path !== undefined) box.value = path;
        box.show();
      });
      box.onDidChangeValue(async (value) => {
        box.validationMessage = (await options.validateInput?.(value)) ?? undefined;
      });
      box.onDidAccept(() => {
        if (box.validationMessage) return;
        answer = box.value;
        box.hide();
      });
      box.onDidHide(() => {
        if (browsing) return;
        box.dispose();
        resolve(answer);
      });
      box.show();
    });
  },
  file: async (options) => (await window.showOpenDialog({ canSelectMany: false, ...options }))?.[0],
  say: (level, message, ...buttons) =>
    Promise.resolve(
      {
        information: window.showInformationMessage,
        warning: window.showWarningMessage,
        error: window.showErrorMessage,
      }[level](message, ...buttons),
    ),
  confirm: async (message, detail, button) =>
    (await window.showWarningMessage(message, { modal: true, detail }, button)) === button,
};

/** Writes a problem into the log; false where the user wants no more of it than a line in the status bar. */
export function logProblem(problem: ProfileProblem, output: OutputChannel): boolean {
  output.appendLine(`${problem.message} ${inEditorWords(problem.nextStep)}`.trim());
  if (problem.detail !== '') output.appendLine(problem.detail.replace(/^/gm, '    '));
  if (problem.kind !== 'cancelled') return true;
  window.setStatusBarMessage(`$(circle-slash) ${problemText(problem)}`, 6_000);
  return false;
}
