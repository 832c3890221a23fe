// `node:fs` for suites in a browser: the folder under test, read at once over HTTP.
import { extensions } from 'vscode';

/** What a worker of a browser has; this project is checked without the types of one. */
declare const XMLHttpRequest: new () => {
  open(method: string, url: string, later: boolean): void;
  send(body?: string): void;
  readonly status: number;
  readonly responseText: string;
};

export function readFileSync(path: string, _encoding: 'utf8'): string {
  const { scheme, authority } = extensions.getExtension('warplens-test.files')!.extensionUri;
  const request = new XMLHttpRequest();
  request.open('GET', `${scheme}://${authority}/mount${path}`, false);
  request.send();
  if (request.status !== 200) throw new Error(`There is no ${path}.`);
  return request.responseText;
}
