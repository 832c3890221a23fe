// The door of this room: two texts run on the same data.
export { verify, type Runnable, type Verdict } from './verify';
