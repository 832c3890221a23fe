// The door of the language server: a connection and its environment in, a serving server out; and the loop that keeps
// such servers in threads.
export { connectPort, openTransport, type Connection, type Transport } from './connect';
export { relay, type Relay } from './relay';
export type { AnalysisThread, RelayOptions } from './relayLanes';
export { leftOutNotification } from './relayState';
export { serve, type Environment } from './serve';
export { workBoard, type WorkBoard } from './workBoard';
