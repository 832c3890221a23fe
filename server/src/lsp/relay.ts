// The loop between the editor and the analysis threads: answers what is cancelled, lets no file hold up another, and
// ends what is stuck.
import {
  ErrorCodes,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from 'vscode-languageserver/node';
import {
  answerOfRefused,
  createRelayState,
  leftOutNotification,
  notification,
  ownId,
  sayTo,
  uriOfRequest,
  type RelayState,
} from './relayState';
import { onFirstLine } from './diagnostics';
import { createDialogue } from './relayDialogue';
import { createRefused } from './relayRefused';
import { createRequests } from './relayRequests';
import { listenTo } from './wellFormed';
import {
  busyFor,
  tellDue,
  createLeftOut,
  createLeniency,
  documentAtWork,
  mostSlowLanes,
  newLane,
  freeNow,
  lookAtDisk,
  usualLimits,
  type Lane,
  type Publication,
  type RelayOptions,
} from './relayLanes';

export type Relay = ReturnType<typeof relay>;

export function relay(options: RelayOptions) {
  const { reader, writer } = options;
  const limits = { ...usualLimits, ...options.limits };
  let state: RelayState | undefined;
  let initialize: RequestMessage | undefined;
  let main: Lane | undefined;
  let lanes: Lane[] = [];
  let lanesMade = 0;
  let shutdown = false;
  const slow = new Map<string, Lane>();
  const refused = createRefused();
  /** Documents whose thread went to others, in the order in which they are read once one for slow files is free. */
  const postponed = new Set<string>();
  /** Documents that were answered by the thread for all others. */
  const quick = new Set<string>();
  const leftOut = createLeftOut((sentence) => log(sentence));
  const leniency = createLeniency();
  /** What the editor was last sent of each open document that it does not ask about. */
  const shown = new Map<string, Message>();
  const { send, answer, refuse, log } = sayTo(writer);
  const pending = createRequests({ answer, refuse });
  const post = (lane: Lane, message: Message): void =>
    void (lane.waiting ? lane.waiting.push(message) : lane.thread.post(message));
  const dialogue = createDialogue(send, post);
  /** A thread that has loaded its grammars and waits to hear what the editor said. */
  let spare: Lane | undefined;

  function makeLane(): Lane {
    const lane: Lane = newLane(++lanesMade, (hear) => options.startThread(hear, leftOut.files()), {
      message: (message) => fromThread(lane, message),
      ended(why) {
        if (lane === spare) spare = undefined;
        else if (!lane.ended) fell(lane, why);
      },
    });
    lane.leftOut = leftOut.changes();
    const params = { ...(initialize!.params as object), processId: null }; // its own watch would end it alone
    const first = pending.get(initialize!.id!);
    if (first) first.lane = lane;
    lane.thread.post({ ...initialize!, params, ...(!first && { id: `${ownId}initialize` }) } as Message);
    return lane;
  }

  function startLane(without: ReadonlySet<string>): Lane {
    const lane = spare ?? makeLane();
    spare = undefined;
    if (lane.leftOut !== leftOut.changes()) post(lane, notification(leftOutNotification, { files: leftOut.files() }));
    lane.leftOut = leftOut.changes();
    for (const uri of without) lane.without.add(uri);
    lanes.push(lane);
    freeNow(lane);
    for (const each of state!.replay(lane.without)) post(lane, each);
    return lane;
  }

  function endSpare(): void {
    if (spare) spare.ended = true;
    spare?.thread.end();
    spare = undefined;
  }

  function endLane(lane: Lane): void {
    lane.ended = true;
    lanes = lanes.filter((each) => each !== lane);
    lane.thread.end();
    dialogue.ended(lane);
  }

  /** The thread that serves a document; undefined while it waits for one. */
  function laneOf(uri: string | undefined): Lane | undefined {
    if (uri !== undefined && postponed.has(uri)) return undefined;
    return (uri === undefined ? undefined : slow.get(uri)) ?? main;
  }

  /** Sends what waits for a thread that no longer serves it to the one that does. */
  function reassign(): void {
    for (const [id, each] of pending.byUrgency(quick)) {
      const sentence = each.uri === undefined ? undefined : refused.sentenceOf(each.uri);
      if (sentence !== undefined) {
        pending.delete(id);
        answer(id, answerOfRefused(each.message.method, sentence));
        continue;
      }
      const lane = laneOf(each.uri);
      if (lane === undefined || lane === each.lane) continue;
      each.lane = lane;
      post(lane, each.message);
    }
    for (const uri of state!.open()) publish(uri);
  }

  /** Shows the editor what the thread that serves a document found last in the text on screen. */
  function publish(uri: string): void {
    const message = refused.has(uri) ? undefined : laneOf(uri)?.published.get(uri);
    if (!message || isUnpublished(uri) || shown.get(uri) === message) return;
    shown.set(uri, message);
    send(message);
  }

  /** Has the thread that serves a document yet to publish its text? */
  function isUnpublished(uri: string): boolean {
    const version = laneOf(uri)?.published.get(uri)?.params.version;
    return !state!.client.pullsDiagnostics && version !== state!.versionOf(uri);
  }

  /** Tells an editor that does not ask what no thread tells it. */
  function say(uri: string, diagnostics: readonly object[]): void {
    shown.delete(uri);
    send(notification('textDocument/publishDiagnostics', { uri, diagnostics }));
  }

  const ownedBy = (lane: Lane): string[] => [...slow].flatMap(([uri, owner]) => (owner === lane ? uri : []));
  /** Documents that no thread reads now: given up, or waiting for one. */
  const unread = (): Set<string> => new Set([...refused.uris(), ...postponed]);
  /** Documents that the thread for all others does without. */
  const apart = (): Set<string> => new Set([...slow.keys(), ...unread()]);

  const documentOf = (lane: Lane): string => documentAtWork(lane, state?.open() ?? []);

  /** The thread is at work on one file while others wait: they get a separate thread until it is free. */
  function takeOver(lane: Lane): void {
    const uri = documentOf(lane);
    if (uri !== '' && !state!.isOpen(uri)) {
      // The result of its work is not needed any more.
      endLane(lane);
    } else {
      const others = lanes.filter((each) => each !== lane);
      let goes: Lane | undefined;
      if (others.length >= mostSlowLanes) {
        const free = others.find((each) => !isBusy(each));
        if (!free && others.some((each) => busyFor(each) <= limits.crowded)) return; // they all have a right to go on
        // A document waits for the thread that is free; else the one that has come least far gives way.
        if (free) goes = uri === '' ? free : lane;
        else goes = [lane, ...others].reduce((least, each) => (busyFor(each) < busyFor(least) ? each : least));
      }
      // Without a file behind the documents, read in search of launches perhaps, nothing on screen is missing.
      const file = uri === '' ? lane.thread.board.file() : '';
      quick.delete(uri);
      if (goes === lane && uri !== '') postponed.add(uri);
      else if (uri !== '') slow.set(uri, lane);
      else if (goes !== lane) leftOut.add(file);
      lane.overtaken = { file };
      if (goes) retire(goes);
    }
    main = startLane(apart());
    reassign();
  }

  /** A thread that was overtaken is free by itself: its replacement need not re-read what it has read. */
  function cameBack(lane: Lane, wasBusy: number): void {
    const { file } = lane.overtaken!;
    lane.overtaken = undefined;
    if (wasBusy > limits.slow) {
      // Slow indeed: a document keeps its thread, and a file behind the documents stays out.
      if (file !== '') {
        leftOut.keep(file);
        endLane(lane);
      }
      return;
    }
    const lacked = leftOut.files().length > 0; // by what others answered meanwhile
    leftOut.remove(file);
    leniency.needless();
    if (main && main.number < lane.number) {
      // The one before it has come back already.
      if (ownedBy(lane).length === 0) endLane(lane);
      return;
    }
    const substitute = main;
    main = lane;
    for (const uri of ownedBy(lane)) slow.delete(uri);
    for (const uri of [...lane.without]) if (!apart().has(uri)) show(lane, uri);
    if (substitute) endLane(substitute);
    reassign();
    if (lacked) askAgain();
  }

  /** The editor asks again for the diagnostics of open documents. */
  function askAgain(): void {
    if (state!.client.pullsDiagnostics)
      send({ jsonrpc: '2.0', id: `${ownId}refresh`, method: 'workspace/diagnostic/refresh' } as Message);
  }

  /** Another file needs the place of this thread: its files go back to the others, and the one in work waits. */
  function retire(lane: Lane): void {
    const busyWith = isBusy(lane) ? documentOf(lane) : '';
    leftOut.keep(lane.overtaken?.file ?? '');
    endLane(lane);
    for (const uri of ownedBy(lane)) {
      slow.delete(uri);
      if (uri === busyWith) postponed.add(uri);
      else if (main && main !== lane) show(main, uri);
    }
  }

  /** Gives the document that waits longest to a thread for slow files that has nothing to do, or to a new one. */
  function resume(): void {
    const [uri] = postponed;
    const others = lanes.filter((each) => each !== main);
    const isAsked = (lane: Lane): boolean => pending.values().some((each) => each.lane === lane);
    const lane = others.find((each) => !each.waiting && !isBusy(each) && !isAsked(each));
    if (uri === undefined || (!lane && others.length >= mostSlowLanes)) return;
    postponed.delete(uri);
    if (lane) show(lane, uri);
    slow.set(uri, lane ?? startLane(unread()));
    reassign();
  }

  /** Opens a document in a thread that did without it. */
  function show(lane: Lane, uri: string): void {
    const document = lane.without.delete(uri) ? state!.replayDocument(uri) : undefined;
    if (document) post(lane, document);
  }

  const isBusy = (lane: Lane): boolean => Date.now() - lane.freeAt > 2 * limits.look;

  function giveUp(uri: string): void {
    slow.delete(uri);
    const sentence = refused.add(uri);
    log(`${uri} was not analysed: it exceeds the time or memory limit for one file.`);
    if (state!.client.pullsDiagnostics) askAgain();
    else say(uri, [onFirstLine(sentence)]);
  }

  /** Ends a thread that is stuck or fell, and goes on without the file that it was at work on. */
  function goOnWithout(lane: Lane): void {
    const uri = documentOf(lane);
    const shared = ownedBy(lane).filter((each) => each !== uri);
    endLane(lane);
    if (uri !== '') {
      if (state?.isOpen(uri) && laneOf(uri) === lane) giveUp(uri);
    } else leftOut.keep(lane.overtaken?.file ?? lane.thread.board.file());
    for (const each of shared) slow.delete(each);
    replace(lane, shared);
  }

  /** A fresh thread in place of one that has ended, for the documents that were its own. */
  function replace(lane: Lane, shared: readonly string[]): void {
    if (lane === main) main = startLane(apart());
    else if (shared.length > 0) {
      const next = startLane(unread());
      for (const each of shared) slow.set(each, next);
    }
    reassign();
  }

  let falls = 0;
  function fell(lane: Lane, why: string): void {
    if (shutdown) return;
    // A thread that cannot even start would be started for ever.
    if (lane.waiting && ++falls > 3) {
      log(`The analysis process did not start: ${why}`);
      options.exit(1);
      return;
    }
    log(`The analysis process ended: ${why}`);
    if (!state) options.exit(1);
    else goOnWithout(lane);
  }

  const timer = setInterval(() => {
    if (shutdown) return;
    const now = Date.now();
    const calm = lanes.length === 1 && main && now - main.begunAt > limits.spare && !isBusy(main);
    if (!spare && main && !main.waiting && (calm || lanes.length >= mostSlowLanes)) spare = makeLane();
    resume();
    tellDue(leftOut, lanes, post, now);
    for (const lane of [...lanes]) {
      lookAtDisk(lane);
      const beats = lane.thread.board.beats();
      if (beats !== lane.beats || lane.waiting) {
        const wasBusy = busyFor(lane);
        lane.beats = beats;
        lane.superseded = undefined;
        freeNow(lane);
        if (lane.overtaken) cameBack(lane, wasBusy);
        continue;
      }
      const elapsed = now - lane.freeAt;
      const computed = busyFor(lane);
      const uri = documentOf(lane);
      if (computed > limits.giveUp) goOnWithout(lane);
      else if (
        lane === main &&
        // An open document loses nothing: the clock decides. Another file is left out: a loaded machine gets longer.
        (uri !== '' && state!.isOpen(uri) ? elapsed : Math.max(computed, elapsed / 2)) >
          leniency.times() * limits.takeOver &&
        somebodyElseWaits(lane, uri)
      )
        takeOver(lane);
      else if (
        computed > leniency.times() * limits.superseded &&
        lane.superseded !== undefined &&
        now - lane.superseded > 500
      )
        beginAnew(lane);
    }
  }, limits.look);

  function somebodyElseWaits(lane: Lane, uri: string): boolean {
    const unasked = state!.open().some((each) => each !== uri && laneOf(each) === lane && isUnpublished(each));
    return unasked || pending.values().some((each) => each.lane === lane && each.uri !== uri);
  }

  /** What the thread computes is of a text that is no more: a fresh one reads the present text. */
  function beginAnew(lane: Lane): void {
    endLane(lane);
    replace(lane, ownedBy(lane));
  }

  function fromEditor(message: Message): void {
    const { id = null, method } = message as Partial<RequestMessage>;
    if (method === undefined) dialogue.answered(message as ResponseMessage);
    else if (id !== null) request(message as RequestMessage);
    else notified(message as NotificationMessage);
  }

  function request(message: RequestMessage): void {
    const { id, method } = message;
    if (method === 'initialize') {
      if (initialize) refuse(id, ErrorCodes.InvalidRequest, 'The server is already initialized.');
      else {
        initialize = message;
        state = createRelayState(message);
        pending.add(id!, { message, uri: undefined, lane: undefined! });
        main = startLane(new Set());
      }
    } else if (!state || !main) refuse(id, ErrorCodes.ServerNotInitialized, 'The server waits for "initialize".');
    else if (shutdown) refuse(id, ErrorCodes.InvalidRequest, 'The server was shut down.');
    else if (method === 'shutdown') {
      shutdown = true;
      for (const [each] of pending.all()) pending.cancel(each);
      for (const lane of [...lanes]) endLane(lane);
      endSpare();
      answer(id, null);
    } else {
      state.hear(message);
      const uri = uriOfRequest(message);
      const sentence = uri === undefined ? undefined : refused.sentenceOf(uri);
      const lane = laneOf(uri);
      if (sentence === undefined) pending.add(id!, { message, uri, lane: lane ?? main });
      else answer(id, answerOfRefused(method, sentence));
      if (sentence === undefined && lane) post(lane, message);
    }
  }

  function notified(message: NotificationMessage): void {
    const { method } = message;
    if (method === 'exit') {
      options.exit(shutdown ? 0 : 1);
      return;
    }
    if (!state || shutdown) return;
    if (method === '$/cancelRequest') {
      const { id } = (message.params ?? {}) as { id?: string | number };
      const each = id === undefined ? undefined : pending.get(id);
      if (each) post(each.lane, message);
      if (id !== undefined && each?.message.method !== 'initialize') pending.cancel(id);
      return;
    }
    const uri = uriOfRequest(message);
    if (method === 'textDocument/didOpen' && uri !== undefined) refused.opened(uri);
    if (method === 'textDocument/didChange' && uri !== undefined) changed(uri);
    state.hear(message);
    if (uri !== undefined && /^textDocument\/did(?:Open|Change)$/.test(method) && refused.mayTry(uri)) {
      tryAgain(uri);
      return;
    }
    for (const lane of [...lanes]) if (uri === undefined || !lane.without.has(uri)) post(lane, message);
    if (method === 'textDocument/didClose' && uri !== undefined) closed(uri);
  }

  /** What was asked of the old text and is still waiting for a busy thread would be answered of the new. */
  function changed(uri: string): void {
    const lane = laneOf(uri);
    if (lane && !isBusy(lane)) return;
    if (lane?.thread.board.document() === uri) lane.superseded = Date.now();
    for (const [id, owner] of pending.outdated(uri)) post(owner, notification('$/cancelRequest', { id }));
  }

  function closed(uri: string): void {
    refused.forget(uri);
    quick.delete(uri);
    // Opened again it is a file like any other.
    for (const each of lanes) {
      each.without.delete(uri);
      each.published.delete(uri);
    }
    if (!state!.client.pullsDiagnostics) say(uri, []);
    const lane = slow.get(uri);
    slow.delete(uri);
    if (postponed.delete(uri)) pending.closed((each) => each.uri === uri);
    if (lane && lane !== main && ownedBy(lane).length === 0) {
      pending.closed((each) => each.lane === lane);
      endLane(lane);
    }
  }

  /** A file that was given up has changed: it is read once more, away from the others. */
  function tryAgain(uri: string): void {
    refused.remove(uri);
    postponed.add(uri);
    resume();
  }

  function fromThread(lane: Lane, message: Message): void {
    if (lane.ended) return;
    const { id, method } = message as Partial<RequestMessage>;
    if (method === undefined) {
      if (id === undefined || id === null) return;
      if (String(id).startsWith(ownId) || id === initialize?.id) begun(lane, String(id));
      const each = pending.get(id);
      if (each?.lane !== lane) return; // cancelled, or served by another by now
      pending.delete(id);
      if (each.uri !== undefined && lane === main) quick.add(each.uri);
      send(message);
      return;
    }
    if (id !== undefined && id !== null) {
      dialogue.ask(lane, message as RequestMessage);
      return;
    }
    if (method === '$/progress' && !dialogue.progress(lane, message as NotificationMessage)) return;
    if (method === 'textDocument/publishDiagnostics') {
      const { uri } = (message as Publication).params;
      lane.published.set(uri, message as Publication);
      publish(uri);
    } else send(message);
  }

  /** The thread has answered `initialize`: it hears what it missed. */
  function begun(lane: Lane, id: string): void {
    if (!lane.waiting || (id !== `${ownId}initialize` && id !== String(initialize?.id))) return;
    const { waiting } = lane;
    lane.waiting = undefined;
    lane.begunAt = Date.now();
    freeNow(lane);
    for (const each of waiting) lane.thread.post(each);
  }

  listenTo(reader, fromEditor, { refuse, log });
  return {
    /** Process of the editor, once it has said. */
    editorProcess: (): number | undefined => state?.client.processId,
    stop(): void {
      clearInterval(timer);
      endSpare();
      for (const lane of [...lanes]) endLane(lane);
    },
  };
}
