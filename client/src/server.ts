// The life of the language server's process: started, restarted when it falls, and stopped with the window.
import { EventEmitter, window, type Diagnostic, type Event, type LogOutputChannel, type Uri } from 'vscode';
import {
  CloseAction,
  DocumentDiagnosticRequest,
  ErrorAction,
  InlayHintRequest,
  State,
  type BaseLanguageClient,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient';
import { filesRequest, type InitializationOptions } from '../../protocol/src/requests';
import { documentSelector } from './languages';
import { addressOf, documentAt } from './paths';
import { linkRulePages } from './rulePages';
import { answerFiles } from './workspaceAnswers';
import { errorText } from './errorText';

/** `waiting`: nothing that is open needs a server yet. */
export type ServerState = 'waiting' | 'stopped' | 'starting' | 'running' | 'failed';

export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: Event<ServerState>;
  readonly log: LogOutputChannel;
  /** Resolves when the server answers, or when it has failed and `state` says so; never rejects. */
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Lays a feature's hands on what comes from the server; to be called before `start`. */
  use(middleware: ResultMiddleware): void;
  /** Holds diagnostics back for as long as this says so; `refresh` brings them. To be called before `start`. */
  hide(when: (uri: Uri, diagnostic: Diagnostic) => boolean): void;
  /** Answers a request of the server; to be called before `start`. */
  answer<Parameters, Answer>(method: string, handler: (parameters: Parameters) => Promise<Answer>): void;
  /** Asks again for the diagnostics and hints of what is open, though no text has changed. */
  refresh(what: 'diagnostics' | 'hints'): void;
  /** Asks the server; rejects with one sentence when it does not run. */
  request<Answer>(method: string, parameters: unknown): Promise<Answer>;
  /** Tells the server; nothing where it does not run. */
  tell(method: string, parameters: unknown): void;
}

/** What a feature may change on its way to the editor. */
export type ResultMiddleware = Pick<
  Middleware,
  'handleDiagnostics' | 'provideDiagnostics' | 'provideInlayHints' | 'provideCodeActions'
>;

/** A server that falls more often than this within three minutes is left down until the user restarts it. */
const FALLS_BORNE = 4;
const FALLS_WITHIN_MILLISECONDS = 3 * 60 * 1000;

/** `connect` makes the client of a process or a worker that runs the server; it may reject with one sentence. */
export function createServer(
  connect: (options: LanguageClientOptions) => Promise<BaseLanguageClient>,
  log: LogOutputChannel,
): Server {
  const changed = new EventEmitter<ServerState>();
  let state: ServerState = 'waiting';
  let client: BaseLanguageClient | undefined;
  /** A client that is being made. */
  let creating: Promise<BaseLanguageClient> | undefined;
  let falls: number[] = [];
  let used: ResultMiddleware = {};
  const answers = new Map<string, (parameters: never) => Promise<unknown>>();
  const hidden: ((uri: Uri, diagnostic: Diagnostic) => boolean)[] = [];

  const become = (next: ServerState): void => {
    if (state === next) return;
    state = next;
    changed.fire(next);
  };

  async function create(): Promise<BaseLanguageClient> {
    const clientOptions: LanguageClientOptions = {
      documentSelector: documentSelector(),
      diagnosticCollectionName: 'warplens',
      outputChannel: log,
      middleware: afterLinks(used, (uri, diagnostic) => hidden.some((when) => when(uri, diagnostic))),
      initializationOptions: {
        clientCommands: true,
        answersFiles: true,
        tellsScreen: true,
        answersCommitted: true,
      } satisfies InitializationOptions,
      uriConverters: { code2Protocol: addressOf, protocol2Code: documentAt },
      // A file that a build writes while it is open elsewhere must not bring the server's errors to the front.
      errorHandler: {
        error: (error, _message, count) => {
          log.error(`The connection to the server failed: ${error.message}`);
          return {
            action: count !== undefined && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
            handled: true,
          };
        },
        closed: () => {
          const now = Date.now();
          falls = [...falls.filter((fall) => now - fall < FALLS_WITHIN_MILLISECONDS), now];
          if (falls.length <= FALLS_BORNE) {
            log.warn('The server ended unexpectedly and is restarting.');
            // A new client for the new process: one restarted in place may ask nothing more about documents that were
            // open.
            setTimeout(() => {
              void renew();
            }, 0);
            return { action: CloseAction.DoNotRestart, handled: true };
          }
          log.error(
            `The server ended ${falls.length} times within three minutes and was not restarted. Run ` +
              '"Warplens: Restart Server".',
          );
          become('failed');
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    };
    const created = await connect(clientOptions);
    created.onRequest(filesRequest, answerFiles);
    for (const [method, handler] of answers) created.onRequest(method, handler);
    created.onDidChangeState(({ newState }) => {
      if (created !== client || ((state === 'failed' || state === 'starting') && newState === State.Stopped)) return;
      become(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
    });
    return created;
  }

  async function start(): Promise<void> {
    if (client || creating) return;
    become('starting');
    try {
      creating = create();
      client = await creating;
      creating = undefined;
      await client.start();
    } catch (error) {
      log.error(`The server did not start: ${errorText(error)}`);
      creating = undefined;
      become('failed');
    }
  }

  async function stop(): Promise<void> {
    await creating?.catch(() => undefined);
    const stopping = client;
    client = undefined;
    if (stopping)
      await stopping
        .dispose(2000)
        .catch((error: unknown) => log.warn(`The server did not end in time: ${String(error)}`));
    become('stopped');
  }

  async function renew(): Promise<void> {
    become('starting');
    const fallen = client;
    client = undefined;
    if (fallen)
      await fallen.dispose(2000).catch(() => {
        /* its process is gone already */
      });
    await start();
  }

  return {
    get state() {
      return state;
    },
    onDidChangeState: changed.event,
    log,
    start,
    stop,
    async restart() {
      falls = [];
      await stop();
      await start();
    },
    use(middleware) {
      used = { ...used, ...middleware };
    },
    answer(method, handler) {
      answers.set(method, handler);
    },
    hide(when) {
      hidden.push(when);
    },
    refresh(what) {
      if (!client || state !== 'running') return;
      if (what === 'diagnostics') client.getFeature(DocumentDiagnosticRequest.method).refresh();
      else {
        const hints = client.getFeature(InlayHintRequest.method);
        const providers = new Set(
          window.visibleTextEditors.flatMap(({ document }) => hints.getProvider(document) ?? []),
        );
        for (const provider of providers) provider.onDidChangeInlayHints.fire();
      }
    },
    async request<Answer>(method: string, parameters: unknown): Promise<Answer> {
      if (!client || state !== 'running')
        throw new Error('The Warplens server is not running. Run "Warplens: Restart Server".');
      return await client.sendRequest<Answer>(method, parameters);
    },
    tell(method, parameters) {
      if (client && state === 'running')
        client.sendNotification(method, parameters).catch(() => {
          /* it ends */
        });
    },
  };
}

/** Diagnostics are linked with the pages of their rules first, and those that are held back left out. */
function afterLinks(
  { handleDiagnostics, provideDiagnostics, ...others }: ResultMiddleware,
  isHidden: (uri: Uri, diagnostic: Diagnostic) => boolean,
): Middleware {
  /** Documents of which something was held back. */
  const held = new Set<string>();
  return {
    handleDiagnostics: (uri, diagnostics, next) =>
      linkRulePages.handleDiagnostics!(uri, diagnostics, (at, linked) => {
        const shown = linked.filter((diagnostic) => !isHidden(at, diagnostic));
        return handleDiagnostics ? handleDiagnostics(at, shown, next) : next(at, shown);
      }),
    provideDiagnostics: (document, previousResultId, token, next) => {
      const uri = 'uri' in document ? document.uri : document;
      const linked: typeof next = async (at, previous, within) => {
        // The server says "unchanged" of what was held back as well.
        const report = await linkRulePages.provideDiagnostics!(
          at,
          held.has(uri.toString()) ? undefined : previous,
          within,
          next,
        );
        if (report && 'items' in report) {
          const shown = report.items.filter((diagnostic) => !isHidden(uri, diagnostic));
          if (shown.length < report.items.length) held.add(uri.toString());
          else held.delete(uri.toString());
          report.items = shown;
        }
        return report;
      };
      return provideDiagnostics
        ? provideDiagnostics(document, previousResultId, token, linked)
        : linked(document, previousResultId, token);
    },
    ...others,
  };
}
