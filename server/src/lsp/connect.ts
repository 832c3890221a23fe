// Makes the connection that the command line asks for: stdio, node IPC, a socket or a pipe.
import { createConnection, ProposedFeatures, type Connection } from 'vscode-languageserver/node';

export type { Connection } from 'vscode-languageserver/node';

const ways = ['--stdio', '--node-ipc', '--socket=PORT', '--pipe=NAME'];

/** Undefined, with one sentence on standard error, when the arguments name no way to talk. */
export function connect(args: readonly string[], complain: (sentence: string) => void): Connection | undefined {
  if (!args.some((argument) => /^--(stdio|node-ipc|socket|pipe)\b/.test(argument))) {
    complain(`The Warplens language server talks to an editor: start it with one of ${ways.join(', ')}.`);
    return undefined;
  }
  return createConnection(ProposedFeatures.all) as Connection;
}
