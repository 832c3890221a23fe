// Types into a file under clangd as `edit.ts` does under Warplens, and measures the time to the diagnostics of each
// version.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';

/**
 * Milliseconds of each edit, the first `warming` ones left out. Rejects when the server ends or is silent for a minute.
 */
export async function measureClangd(
  command: string,
  text: string,
  edits: number,
  warming: number,
): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-clangd-'));
  const path = join(folder, 'many.cu');
  writeFileSync(path, text);
  const uri = pathToFileURL(path).href;
  const server = spawn(command, ['--background-index=false', '--log=error'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const waiting = new Map<number, () => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ version }) => {
    if (version !== undefined) waiting.get(version)?.();
  });
  const published = (version: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${command} said nothing of version ${version}`)), 60_000);
      waiting.set(version, () => {
        clearTimeout(timer);
        waiting.delete(version);
        resolve();
      });
    });
  try {
    connection.listen();
    await connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities: { textDocument: { publishDiagnostics: { versionSupport: true } } },
    });
    await connection.sendNotification(InitializedNotification.type, {});
    const opened = published(1);
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'cuda-cpp', version: 1, text },
    });
    await opened;
    const places = [...text.matchAll(/;[ \t]*\n/g)].map((match) => match.index + 1);
    const typed = ' int q = 1; ';
    const milliseconds: number[] = [];
    let current = text;
    for (let edit = 0; edit < warming + edits; edit++) {
      const place = places[(Math.floor(edit / (2 * typed.length)) * 7919) % places.length]!;
      const step = edit % (2 * typed.length);
      const at = step < typed.length ? place + step : place + 2 * typed.length - 1 - step;
      current =
        step < typed.length
          ? current.slice(0, at) + typed[step]! + current.slice(at)
          : current.slice(0, at) + current.slice(at + 1);
      const version = edit + 2;
      const answer = published(version);
      const started = performance.now();
      await connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri, version },
        contentChanges: [{ text: current }],
      });
      await answer;
      if (edit >= warming) milliseconds.push(performance.now() - started);
    }
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    return milliseconds;
  } finally {
    connection.dispose();
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
