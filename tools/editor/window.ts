// A window of the editor in a headless Chromium, as a user would see it.
import { chromium, type Browser, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS } from './chromium';
import type { RunningEditor } from './codeServer';

export interface EditorWindow {
  readonly page: Page;
  close(): Promise<void>;
}

export interface WindowOptions {
  readonly chromium: string;
  /** Absolute path of the folder to open. */
  readonly folder: string;
  /** Absolute path of the extension to run from its checkout. */
  readonly extension?: string;
  /** Absolute path of a file to show. */
  readonly file?: string | undefined;
  /** Absolute path of a module with `run()`, called inside the extension host. */
  readonly tests?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly deviceScaleFactor?: number;
  /** Called before the page loads, to lay functions into it. */
  readonly prepare?: (page: Page) => Promise<void>;
}

export async function openWindow(editor: RunningEditor, options: WindowOptions): Promise<EditorWindow> {
  const browser: Browser = await chromium.launch({ executablePath: options.chromium, args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage({
      viewport: options.size ?? { width: 1400, height: 900 },
      deviceScaleFactor: options.deviceScaleFactor ?? 1,
    });
    await options.prepare?.(page);
    await page.goto(windowUrl(editor, options), { waitUntil: 'domcontentloaded' });
    return { page, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** The address of a window on `folder`, with the extension and the tests to run in it. */
export function windowUrl(
  editor: RunningEditor,
  { folder, extension, file, tests }: Pick<WindowOptions, 'folder' | 'extension' | 'file' | 'tests'>,
): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${editor.port}${path}`;
  const payload = [
    ...(extension ? [['extensionDevelopmentPath', remote(extension)]] : []),
    ...(file ? [['openFile', remote(file)]] : []),
    ...(tests ? [['extensionTestsPath', remote(tests)]] : []),
  ];
  return `http://127.0.0.1:${editor.port}/?folder=${encodeURIComponent(folder)}${payload.length > 0 ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : ''}`;
}
