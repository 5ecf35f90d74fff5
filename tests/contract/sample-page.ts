import { expect } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import {
  type Form,
  type Operation,
  openDocsPage,
  type PageRequest,
  pageOrigin,
} from '../support/docs-page.ts';
import { type Place, undo } from './sample-data.ts';

/** Samples of the documentation page, sent to a service as they are shown. */

/** An operation with its sample: parameters and body as the page begins with them. */
export interface Sample {
  readonly operation: Operation;
  readonly form: Form;
  /** The request of the form as it is now. */
  readonly request: () => PageRequest;
}

/** Samples of every operation that has one, of the description at this path. */
export const samplesOf = async ({ service }: Place, path: string): Promise<readonly Sample[]> => {
  const document = await (await fetch(service.origin + path)).json();
  const { page, ways, operations, resolve } = await openDocsPage(document);
  return operations.flatMap((operation) => {
    const form = page.newForm(operation, resolve, ways);
    if (form.body === '' && Object.keys(form.values).length === 0) return [];
    return [{ operation, form, request: () => page.requestOf(operation, form) }];
  });
};

/** Puts real values in the place of members that the sample has, and of nothing else. */
export const withReal = (sample: JsonObject, real: JsonObject): JsonObject => {
  expect(Object.keys(sample)).toEqual(expect.arrayContaining(Object.keys(real)));
  const inner = (name: string, value: Json): Json => {
    const shown = sample[name];
    // An empty object stands for something that only a browser makes.
    const isDeeper = isJsonObject(value) && isJsonObject(shown) && Object.keys(shown).length > 0;
    return isDeeper ? withReal(shown, value) : value;
  };
  const changed = Object.entries(real).map(([name, value]) => [name, inner(name, value)]);
  return { ...sample, ...Object.fromEntries(changed) };
};

/** Sends a request of the page, and undoes its effect. Returns the refusal; undefined where it was accepted. */
export const sendSample = async (
  place: Place,
  operation: Operation,
  { method, url, headers, body }: PageRequest,
  credentials: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  const response = await fetch(url.replace(pageOrigin, place.service.origin), {
    method,
    headers: { ...headers, ...credentials },
    ...(body === undefined ? {} : { body }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  await response.body?.cancel().catch(() => undefined);
  if (!response.ok) return `${operation.id} ${method} ${url} ${body ?? ''}: ${response.status} ${text}`;
  await undo(place, operation, text);
  return undefined;
};
