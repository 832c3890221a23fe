// The door of this room: what has no figures, and why.
export { unreadFacts } from './facts';
export { listUnread, unreadFile } from './list';
