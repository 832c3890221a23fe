// The door of this room: memory that holds values, for runs that compute.
export { type Arms, createMemory, type Given, type Input, type Memory, Stopped } from './contents';
