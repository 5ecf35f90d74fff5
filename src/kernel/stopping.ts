/**
 * True if the service is about to stop. From then on it is not ready, and closes each connection with its next
 * response, so that callers and proxies move to another instance before this one accepts no more connections.
 */
export interface Stopping {
  readonly begun: boolean;
}

/** The default: never stopping. */
export const neverStopping: Stopping = Object.freeze({ begun: false });
