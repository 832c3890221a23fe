// What each feature of the extension is given when it is activated.
import type { ExtensionContext } from 'vscode';
import type { Server } from './server';

/** What a feature makes goes into `extension.subscriptions`. */
export interface FeatureContext {
  readonly extension: ExtensionContext;
  readonly server: Server;
}
