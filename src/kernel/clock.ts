/** Milliseconds since the Unix epoch. Injected, so that tests move time instead of sleeping. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
