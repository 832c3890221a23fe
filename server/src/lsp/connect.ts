// Opens the way to the editor that the command line asks for, and the way of a thread to the loop.
import type { MessagePort } from 'node:worker_threads';
import {
  createConnection,
  createServerPipeTransport,
  createServerSocketTransport,
  IPCMessageReader,
  IPCMessageWriter,
  PortMessageReader,
  PortMessageWriter,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
  type Connection,
  type MessageReader,
  type MessageWriter,
} from 'vscode-languageserver/node';
import { wholeMessages } from './framing';

export type { Connection } from 'vscode-languageserver/node';

const ways = ['--stdio', '--node-ipc', '--socket=PORT', '--pipe=NAME'];

export interface Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
}

/**
 * Undefined, with one sentence for the user, when the arguments name no way to talk. `ended` hears when the editor is
 * gone.
 */
export function openTransport(
  args: readonly string[],
  complain: (sentence: string) => void,
  ended: () => void,
): Transport | undefined {
  const value = (name: string): string | undefined => {
    const at = args.findIndex((argument) => argument === name || argument.startsWith(`${name}=`));
    return at < 0 ? undefined : args[at] === name ? args[at + 1] : args[at]!.slice(name.length + 1);
  };
  const pipe = value('--pipe');
  const port = Number(value('--socket'));
  if (args.includes('--node-ipc') && process.send) {
    process.on('disconnect', ended);
    return { reader: new IPCMessageReader(process), writer: new IPCMessageWriter(process) };
  }
  if (args.includes('--stdio')) {
    process.stdin.on('end', ended).on('close', ended);
    process.stdout.on('error', ended);
    return {
      reader: new StreamMessageReader(process.stdin.pipe(wholeMessages(complain))),
      writer: new StreamMessageWriter(process.stdout),
    };
  }
  if (pipe !== undefined || Number.isInteger(port)) {
    try {
      const [reader, writer] = pipe !== undefined ? createServerPipeTransport(pipe) : createServerSocketTransport(port);
      reader.onClose(ended);
      writer.onClose(ended);
      return { reader, writer };
    } catch (error) {
      complain(`The Warplens language server cannot reach its editor: ${(error as Error).message}`);
      return undefined;
    }
  }
  complain(`The Warplens language server needs an editor: start it with one of ${ways.join(', ')}.`);
  return undefined;
}

/** The connection of an analysis thread. */
export function connectPort(port: MessagePort): Connection {
  return createConnection(ProposedFeatures.all, new PortMessageReader(port), new PortMessageWriter(port)) as Connection;
}
