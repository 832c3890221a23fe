// Offers this extension's server of the Model Context Protocol to the editor's agents, where the editor has such.
import * as vscode from 'vscode';
import type { ExtensionContext } from 'vscode';
import { version } from '../../../package.json';

/** How the server of one folder is started. */
export interface AgentServer {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentsApi {
  /** One server a folder of the workspace that is on disk. */
  servers(): readonly AgentServer[];
  /** The editor takes them. */
  readonly offered: boolean;
}

/** What editors from 1.101 have, and the oldest that this extension runs in has not. */
interface AgentHost {
  registerMcpServerDefinitionProvider?(
    id: string,
    provider: { onDidChangeMcpServerDefinitions?: vscode.Event<void>; provideMcpServerDefinitions(): unknown[] },
  ): vscode.Disposable;
}
type ServerDefinition = new (
  label: string,
  command: string,
  args: string[],
  env: Record<string, string>,
  version: string,
) => unknown;

export function activateAgents({ extension }: { readonly extension: ExtensionContext }): AgentsApi {
  const cli = extension.asAbsolutePath('dist/cli.js');
  const servers = (): readonly AgentServer[] => {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    return folders.map(({ uri, name }) => ({
      label: folders.length > 1 ? `Warplens (${name})` : 'Warplens',
      command: process.execPath,
      args: [cli, 'mcp', uri.fsPath],
      // The editor's own program runs scripts when it runs as Node.
      env: { ELECTRON_RUN_AS_NODE: '1' },
    }));
  };
  const host = (vscode as { readonly lm?: AgentHost }).lm;
  const Definition = (vscode as unknown as { readonly McpStdioServerDefinition?: ServerDefinition })
    .McpStdioServerDefinition;
  if (!host?.registerMcpServerDefinitionProvider || !Definition) return { servers, offered: false };
  const changed = new vscode.EventEmitter<void>();
  try {
    extension.subscriptions.push(
      changed,
      vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
      host.registerMcpServerDefinitionProvider('warplens', {
        onDidChangeMcpServerDefinitions: changed.event,
        provideMcpServerDefinitions: () =>
          servers().map(
            ({ label, command, args, env }) => new Definition(label, command, [...args], { ...env }, version),
          ),
      }),
    );
  } catch {
    // Editors before 1.101 have it as a proposal, and throw where it is used.
    return { servers, offered: false };
  }
  return { servers, offered: true };
}
