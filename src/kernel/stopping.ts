/**
 * Whether the service is about to stop. From then on it is not ready, and each connection is closed with its last
 * answer, so that callers and proxies turn to another instance before this one takes no more connections.
 */
export interface Stopping {
  readonly begun: boolean;
}

/** What a service that nobody stops says of it. */
export const neverStopping: Stopping = Object.freeze({ begun: false });
