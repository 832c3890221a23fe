// What the server says of wrong settings, with a button that opens the first of them where it is set.
import { commands, window, workspace } from 'vscode';
import { settingsWrongRequest, type SettingsWrongParameters } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';

export function activateSettingsWrong({ server }: FeatureContext): void {
  server.answer(settingsWrongRequest, async ({ message, settings }: SettingsWrongParameters): Promise<null> => {
    const open = 'Open Setting';
    void window.showWarningMessage(message, open).then((answer) => {
      if (answer === open) void openSetting(`warplens${settings[0] ? `.${settings[0]}` : ''}`);
    });
    return null;
  });
}

/** Opens the settings.json that gives a setting its value. */
async function openSetting(key: string): Promise<void> {
  const found = (workspace.workspaceFolders ?? [])
    .map(({ uri }) => workspace.getConfiguration(undefined, uri).inspect(key))
    .find((each) => each?.workspaceFolderValue !== undefined || each?.workspaceValue !== undefined);
  const opener =
    found === undefined
      ? 'workbench.action.openSettingsJson'
      : found.workspaceFolderValue === undefined || (workspace.workspaceFolders?.length ?? 0) < 2
        ? 'workbench.action.openWorkspaceSettingsFile'
        : 'workbench.action.openFolderSettingsFile';
  await commands.executeCommand(opener, { revealSetting: { key } });
}
