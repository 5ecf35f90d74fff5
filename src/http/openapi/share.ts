/** Moves parts that several operations have in common to components, once the whole document is known. */

import { isJsonObject, type Json, type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import type { Components } from './components.ts';

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const isInline = (part: Json): part is JsonObject => isJsonObject(part) && part['$ref'] === undefined;

/** Approximate length of a reference with its component's name: shorter parts are not moved. */
const referenceLength = 60;

const partsToShare = (parts: readonly JsonObject[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const part of parts) {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return new Set(
    [...counts].filter(([text, count]) => count > 1 && text.length > referenceLength).map(([text]) => text),
  );
};

/** Named by the schema of `data`. */
const responseName = (response: JsonObject): string => {
  const [, name] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(response['content'] ?? {})) ?? [];
  return name === undefined ? 'Answer' : `${name}Answer`;
};

const operationsOf = (paths: JsonObject): JsonObject[] =>
  Object.values(paths).flatMap((item) => Object.values(objectOf(item)).map(objectOf));

const parametersOf = (operation: JsonObject): readonly Json[] => {
  const { parameters } = operation;
  return Array.isArray(parameters) ? parameters : [];
};

export const withShared = (paths: JsonObject, components: Components): JsonObject => {
  const operations = operationsOf(paths);
  const parameters = partsToShare(operations.flatMap((each) => parametersOf(each).filter(isInline)));
  const responses = partsToShare(
    operations.flatMap((each) => Object.values(objectOf(each['responses'])).filter(isInline)),
  );
  const parameter = (part: Json): Json =>
    isInline(part) && parameters.has(JSON.stringify(part))
      ? components.add('parameters', String(part['name']), part)
      : part;
  const response = (part: Json): Json =>
    isInline(part) && responses.has(JSON.stringify(part))
      ? components.add('responses', responseName(part), part)
      : part;
  const operation = (whole: JsonObject): JsonObject =>
    withoutUndefined({
      ...whole,
      parameters: whole['parameters'] === undefined ? undefined : parametersOf(whole).map(parameter),
      responses: Object.fromEntries(
        Object.entries(objectOf(whole['responses'])).map(([status, part]) => [status, response(part)]),
      ),
    });
  const item = (part: Json): JsonObject =>
    Object.fromEntries(
      Object.entries(objectOf(part)).map(([method, whole]) => [method, operation(objectOf(whole))]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, part]) => [path, item(part)]));
};
