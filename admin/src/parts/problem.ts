/** Failed requests as sentences for the user. */

import { useNotify } from 'ra-core';
import { useCallback } from 'react';
import { GatewrightError } from '../../../client/error.ts';
import { problemTable } from '../../../src/kernel/problem-table.ts';
import { type Language, serviceTexts, type Text, useLanguage, useText } from '../texts/provider.ts';
import { timeLimitMessage } from './time-limit.ts';

/** The parts of a failed request that these pages use. */
export interface Failure {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Code of the envelope; 0 if there was none. */
  readonly code: number;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** Messages by field. */
  readonly fields: Readonly<Record<string, string>>;
}

const numberIn = (source: unknown, name: string): number | undefined => {
  if (typeof source !== 'object' || source === null || !(name in source)) return undefined;
  const value: unknown = source[name as keyof typeof source];
  return typeof value === 'number' ? value : undefined;
};

const fieldsOf = (body: unknown): Readonly<Record<string, string>> =>
  typeof body === 'object' && body !== null && 'errors' in body
    ? (body.errors as Readonly<Record<string, string>>)
    : {};

/** Severity of the message: having to wait is no error of the user. */
export const severityOf = ({ status }: Pick<Failure, 'status'>): 'warning' | 'error' =>
  status === 429 ? 'warning' : 'error';

export const failureOf = (error: unknown): Failure => {
  if (error instanceof GatewrightError) {
    const { status, code, message, retryAfter } = error;
    const fields = Object.fromEntries(
      Object.entries(error.fields).map(([name, messages]) => [name, messages.join(', ')]),
    );
    return { status, code, message, retryAfter, fields };
  }
  const body = typeof error === 'object' && error !== null && 'body' in error ? error.body : undefined;
  return {
    status: numberIn(error, 'status') ?? 0,
    code: numberIn(body, 'code') ?? 0,
    message: error instanceof Error ? error.message : String(error),
    retryAfter: numberIn(body, 'retryAfter'),
    fields: fieldsOf(body),
  };
};

/** The service writes in its own language. The page has texts of its own for messages that depend on the code alone. */
const inLanguage = ({ code, message }: Failure, language: Language): string => {
  const name = Object.entries(problemTable).find(([, known]) => known === code)?.[0];
  if (name === undefined) return message;
  const text = serviceTexts(language).problems[name as keyof typeof problemTable];
  return text.includes('{') ? message : text;
};

/**
 * The message of a code in the language of the page; empty if the code is unknown, or its message has more than the
 * code tells.
 */
export const sentenceOfCode = (code: number, language: Language): string =>
  inLanguage({ ...failureOf(undefined), code, message: '' }, language);

/** Minutes, at least one. */
const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

/** A sentence for the user: the problem and, if known, the time of the next attempt. */
export const sentenceOf = (error: unknown, language: Language, text: Text): string => {
  const failure = failureOf(error);
  if (failure.message === timeLimitMessage) return text('problem.late');
  if (failure.status === 0) return text('problem.unreachable');
  if (failure.status === 429 && failure.retryAfter !== undefined)
    return text('problem.locked', { minutes: minutesOf(failure.retryAfter) });
  return inLanguage(failure, language);
};

/** Returns the sentence of a failure in the language of the page. */
export const useSentence = (): ((error: unknown) => string) => {
  const language = useLanguage();
  const text = useText();
  return useCallback((error) => sentenceOf(error, language, text), [language, text]);
};

/** Notifies of a failure. */
export const useTell = (): ((error: unknown) => void) => {
  const notify = useNotify();
  const language = useLanguage();
  const text = useText();
  return useCallback(
    (error) => notify(sentenceOf(error, language, text), { type: 'error', autoHideDuration: 8000 }),
    [notify, language, text],
  );
};
