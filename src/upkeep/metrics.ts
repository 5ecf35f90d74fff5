/** The door to metrics: the counts and times of the process, and the listener of `GET /metrics`. */

export { AnswerTimes, Durations } from './metrics/answer-times.ts';
export { DatabaseReadings } from './metrics/database-readings.ts';
export { listenForScrapes } from './metrics/listener.ts';
export { readMetrics } from './metrics/metrics.ts';
export { answerPrimary, serveMetricsOfWorkers } from './metrics/workers.ts';
