// Serves a VS Code without any process behind it, like vscode.dev: the workbench's files, an extension, and a
// folder that is not on a disk for it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, normalize, sep } from 'node:path';
import type { AddressInfo } from 'node:net';

export interface WebWorkbench {
  readonly port: number;
  stop(): Promise<void>;
}

export interface ServedFolders {
  /** The editor as tools/editor/installEditor.ts has put it in place. */
  readonly editor: string;
  /** The extension under test: its checkout, or its unpacked package. */
  readonly extension: string;
  /** Bundles of the suites and of the file system's extension. */
  readonly tests: string;
  /** What the window opens as `warplens-test:/`. */
  readonly folder: string;
}

export interface WebReport {
  readonly passes: number;
  readonly failures: number;
  readonly lines: readonly string[];
  /** The test that was running when the report was sent. */
  readonly running?: string;
  /** All have run. */
  readonly ended?: boolean;
}

/** The scheme of the folder: nothing of this machine's disk goes by it. */
export const mountedScheme = 'warplens-test';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** `settings` are those of the user. `hear` gets what the suites report, after each test. */
export async function serveWebWorkbench(
  folders: ServedFolders,
  settings: Readonly<Record<string, unknown>>,
  hear: (report: WebReport) => void = () => {},
): Promise<WebWorkbench> {
  const editor = join(folders.editor, 'lib', 'vscode');
  const served: readonly (readonly [string, string])[] = [
    ['/editor/', editor],
    // A workbench runs suites in the host of the extension that they lie in.
    ['/extension/tests-of-it/', folders.tests],
    ['/extension/', folders.extension],
  ];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(url.pathname);
    if (path === '/') answer(response, 200, 'text/html', page(editor, settings));
    else if (path === '/editor/out/vs/code/browser/workbench/workbench.js')
      answer(response, 200, 'text/javascript', withoutRemote(join(editor, path.slice('/editor/'.length))));
    else if (path.startsWith('/mount/')) void mounted(folders.folder, path.slice('/mount'.length), request, response);
    else if (path === '/report')
      void body(request).then((bytes) => {
        hear(JSON.parse(bytes.toString('utf8')) as WebReport);
        answer(response, 204);
      });
    else {
      const [prefix, root] = served.find(([start]) => path.startsWith(start)) ?? [];
      const file = root && inside(root, path.slice(prefix!.length));
      if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) answer(response, 404);
      else {
        response.writeHead(200, { 'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream' });
        createReadStream(file).pipe(response);
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The address of a window. `file` is a path below the folder; without `tests` no suite runs. */
export function webWindowUrl(port: number, { file, tests }: { file?: string; tests?: string } = {}): string {
  const at = `http://127.0.0.1:${port}`;
  const payload = [
    ['extensionDevelopmentPath', `${at}/extension`],
    ...(file === undefined ? [] : [['openFile', `${mountedScheme}:/${file}`]]),
    ...(tests === undefined ? [] : [['extensionTestsPath', `${at}/extension/tests-of-it/${tests}`]]),
  ];
  const folder = encodeURIComponent(`${mountedScheme}:/`);
  return `${at}/?folder=${folder}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

function page(editor: string, settings: Readonly<Record<string, unknown>>): string {
  const html = readFileSync(join(editor, 'out', 'vs', 'code', 'browser', 'workbench', 'workbench.html'), 'utf8');
  const configuration = {
    // This build asks for these; vscode.dev's has them by itself.
    userDataPath: '/user',
    isEnabledFileDownloads: true,
    isEnabledFileUploads: true,
    isEnabledCoderGettingStarted: false,
    productConfiguration: {
      enableTelemetry: false,
      // Of one origin with the window: a page of another one may not keep its service worker here.
      webviewContentExternalBaseUrlTemplate:
        'http://{{AUTHORITY}}/editor/out/vs/workbench/contrib/webview/browser/pre/',
    },
    configurationDefaults: settings,
    // A web workbench loads an extension under development as built in.
    additionalBuiltinExtensions: ['/extension/tests-of-it/files', '/extension'].map((path) => ({
      scheme: 'http',
      authority: '{{AUTHORITY}}',
      path,
    })),
  };
  const values: Readonly<Record<string, string>> = {
    BASE: '',
    VS_BASE: '',
    WORKBENCH_WEB_BASE_URL: '/editor',
    WORKBENCH_NLS_FALLBACK_URL: '/editor/out/nls.messages.js',
    WORKBENCH_NLS_URL: '/editor/out/nls.messages.js',
    WORKBENCH_AUTH_SESSION: '',
    WORKBENCH_WEB_CONFIGURATION: JSON.stringify(configuration).replaceAll('"', '&quot;'),
  };
  // The window knows its own address; addresses of extensions must name it in full.
  const own = `<script>{const meta = document.getElementById('vscode-workbench-web-configuration');
    meta.dataset.settings = meta.dataset.settings.replaceAll('{{AUTHORITY}}', location.host);}</script>`;
  return html
    .replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all)
    .replace('<!-- Workbench Icon/Manifest/CSS -->', own);
}

/**
 * This build of the workbench takes the host that it came from for a remote one, and keeps the user's settings there. A
 * web window has no remote, and keeps them in the browser.
 */
function withoutRemote(file: string): string {
  return [
    [/remoteAuthority:location\.host/, 'remoteAuthority:undefined'],
    [/(file\(this\.userDataPath\)\.with\(\{scheme:)\w+\.vscodeRemote/, '$1"vscode-userdata"'],
  ].reduce(
    (code, [pattern, instead]) => {
      if (!(pattern as RegExp).test(code))
        throw new Error(
          `${file} does not ask for its host where it did: tools/editor/webWorkbench.ts must be adapted.`,
        );
      return code.replace(pattern!, instead as string);
    },
    readFileSync(file, 'utf8'),
  );
}

/** What the file system's extension asks: GET reads a file or lists a folder, PUT writes, DELETE removes. */
async function mounted(root: string, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = inside(root, path);
  if (!file) return answer(response, 403);
  const found = statSync(file, { throwIfNoEntry: false });
  switch (request.method) {
    case 'PUT':
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await body(request));
      return answer(response, 204);
    case 'DELETE':
      rmSync(file, { recursive: true, force: true });
      return answer(response, 204);
    default:
      if (!found) return answer(response, 404);
      response.setHeader('x-modified', String(Math.round(found.mtimeMs)));
      response.setHeader('x-size', String(found.size));
      response.setHeader('x-kind', found.isDirectory() ? 'folder' : 'file');
      if (request.method === 'HEAD') return answer(response, 200);
      if (found.isDirectory()) {
        const entries = readdirSync(file, { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]);
        return answer(response, 200, 'application/json', JSON.stringify(entries));
      }
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      createReadStream(file).pipe(response);
  }
}

function inside(root: string, path: string): string | undefined {
  const file = normalize(join(root, path));
  return file === normalize(root) || file.startsWith(normalize(root + sep)) ? file : undefined;
}

async function body(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number, type?: string, text?: string): void {
  response.writeHead(status, type === undefined ? {} : { 'content-type': type });
  response.end(text);
}
