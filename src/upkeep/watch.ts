/** The door to the watch over the process: a blocked event loop, traces, and the raised log level. */

export { LouderLog } from './watch/louder-log.ts';
export { MainThreadWatch } from './watch/main-thread.ts';
export type { Tracing } from './watch/tracing.ts';
export { openTracing } from './watch/tracing.ts';
