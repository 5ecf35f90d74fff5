/** The stream of a model's changes, with reconnection. */

import { failureOf } from '../parts/problem.ts';
import { openStream } from '../service.ts';
import { EventParser } from './event-stream.ts';

/** A change of a record, as `/admin/changes` sends it. */
export interface RecordChange {
  readonly number: number;
  readonly model: string;
  readonly id: number;
  readonly action: 'create' | 'update' | 'destroy';
}

export type FollowState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** Another attempt follows automatically. */
  | { readonly kind: 'broken'; readonly error: unknown }
  /** Another attempt would not help. */
  | { readonly kind: 'refused'; readonly error: unknown };

interface Listener {
  readonly onState: (state: FollowState) => void;
  readonly onChange: (change: RecordChange) => void;
  /** Called if changes may have been missed: earlier events are unknown. */
  readonly onGap: () => void;
}

/** Milliseconds before the second attempt; doubled for each further one. */
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

/** Milliseconds of silence after which a stream counts as broken: the service sends more often. */
const maxSilenceMs = 60_000;

/** True if a later attempt may succeed: no connection, overload, or a truncated response. */
const isTemporary = (status: number): boolean => status === 0 || status === 429 || status >= 500;

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** The position in the stream from which a new connection continues. */
export interface Place {
  id: string;
}

/** Reads one connection to its end. */
const listen = async (
  model: string,
  place: Place,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> => {
  const silent = new AbortController();
  const either = AbortSignal.any([signal, silent.signal]);
  const isResumed = place.id !== '';
  const response = await openStream(`/admin/changes?models=${encodeURIComponent(model)}`, {
    headers: { Accept: 'text/event-stream', ...(isResumed ? { 'Last-Event-ID': place.id } : {}) },
    signal: either,
  });
  listener.onState({ kind: 'connected' });
  if (!isResumed) listener.onGap();
  const parser = new EventParser(place.id);
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const timer = setTimeout(() => silent.abort(), maxSilenceMs);
    const part = await reader?.read().finally(() => clearTimeout(timer));
    if (part === undefined || part.done) return;
    for (const { data } of parser.push(decoder.decode(part.value, { stream: true })))
      listener.onChange(JSON.parse(data) as RecordChange);
    place.id = parser.id;
  }
};

/** Follows the changes of a model until the signal aborts. A broken connection continues where it broke. */
export const follow = async (
  model: string,
  place: Place,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> => {
  let pause = firstPauseMs;
  while (!signal.aborted) {
    listener.onState({ kind: 'connecting' });
    let asked = 0;
    try {
      await listen(model, place, signal, {
        ...listener,
        onState: (state) => {
          pause = firstPauseMs;
          listener.onState(state);
        },
      });
      if (!signal.aborted) listener.onState({ kind: 'broken', error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      const { status, retryAfter = 0 } = failureOf(error);
      asked = retryAfter * 1_000;
      // The events after that position are gone: the list is read again and followed from now on.
      if (status === 410) {
        place.id = '';
        continue;
      }
      if (!isTemporary(status)) return listener.onState({ kind: 'refused', error });
      listener.onState({ kind: 'broken', error });
    }
    // Half of the pause is random, so that many pages do not reconnect at the same time.
    await pauseFor(Math.max(pause * (0.5 + Math.random() / 2), asked), signal);
    pause = Math.min(pause * 2, maxPauseMs);
  }
};
