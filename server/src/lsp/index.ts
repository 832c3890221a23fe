// The door of the language server: a connection and its environment in, a serving server out.
export { connect, type Connection } from './connect';
export { serve, type Environment } from './serve';
