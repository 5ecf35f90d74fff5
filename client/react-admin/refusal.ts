import { HttpError } from 'ra-core';
import { GatewrightError } from '../error.ts';
import { placeInForm } from './related.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A refusal in the form that react-admin shows beside the fields. */
export const toHttpError = (error: unknown): unknown => {
  if (!(error instanceof GatewrightError)) return error;
  const errors = Object.fromEntries(
    Object.entries(error.fields).map(([field, messages]) => [field, messages.join(', ')]),
  );
  const body = {
    code: error.code,
    retryAfter: error.retryAfter,
    ...(error.errors.length > 0 ? { errors } : {}),
  };
  return new HttpError(error.message, error.status, body);
};

/** The same where the form has the fields. */
export const inForm = (error: unknown, sent: Fields): unknown => {
  if (!(error instanceof HttpError) || error.body?.errors === undefined) return error;
  const errors: Record<string, string> = {};
  for (const [field, message] of Object.entries<string>(error.body.errors)) {
    const place = placeInForm(sent, field);
    errors[place] = errors[place] === undefined ? message : `${errors[place]}, ${message}`;
  }
  return new HttpError(error.message, error.status, { ...error.body, errors });
};
