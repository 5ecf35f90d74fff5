/** Examples of responses with a problem, with fields and values from the schema of the body. */

import type { FieldError } from '../../kernel/field-error.ts';
import { isJsonObject, type JsonObject, own, withoutUndefined } from '../../kernel/json.ts';
import { type Catalogue, fieldError, fill, labelIn, labelText } from '../../kernel/messages.ts';
import type { ProblemKind } from '../../kernel/problem.ts';
import { type ProblemName, problemTable } from '../../kernel/problem-table.ts';
import { maxAnswerBytes } from '../../records/relations.ts';
import { maxDepth } from '../body.ts';
import type { Endpoint } from '../endpoint.ts';
import { mediaTypes } from '../pipeline.ts';
import type { DescriptionOptions } from './context.ts';
import { relationsOf, takesIdempotencyKey } from './features.ts';
import { problemData } from './problem-data.ts';

/** The object of an example, or an empty one. */

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** A field of a body as a validation message names it, its schema, and whether a value is required. */
interface BodyPlace {
  readonly path: string;
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** The first field that must not be blank, else the first one; within a list, that of its first record. */
const placeIn = (schema: JsonObject, before = ''): BodyPlace | undefined => {
  const properties = objectOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const names = Object.keys(properties);
  const isFilled = (name: string): boolean =>
    required.includes(name) || Number(objectOf(properties[name])['minLength'] ?? 0) > 0;
  const name = names.find(isFilled) ?? names[0];
  if (name === undefined) return undefined;
  const part = objectOf(properties[name]);
  const items = objectOf(part['items']);
  const inner = isJsonObject(items['properties']) ? placeIn(items, `${before}${name}.0.`) : undefined;
  return inner ?? { path: before + name, name, schema: part, required: isFilled(name) };
};

const labelOf = ({ policy }: Endpoint, { name, schema }: BodyPlace, messages: Catalogue): string => {
  const label = policy.kind === 'resource' ? policy.model.fields.get(name)?.label : undefined;
  if (label !== undefined) return labelText(label, messages.locale);
  const text = own(messages.inputs, name) ?? own(messages.labels, name) ?? schema['title'];
  return typeof text === 'string' ? text : name;
};

/** The validation errors of a field of this endpoint. */
const validationErrors = (endpoint: Endpoint, messages: Catalogue): readonly FieldError[] => {
  const place = placeIn(endpoint.input ?? {});
  if (place === undefined) return [fieldError(messages, 'id', messages.labels['id'] ?? 'id', 'reference')];
  const label = labelOf(endpoint, place, messages);
  if (place.required) return [fieldError(messages, place.path, label, 'required')];
  const types = [place.schema['type'] ?? 'string'].flat();
  const type = types.map(String).find((each) => each !== 'null') ?? 'string';
  return [fieldError(messages, place.path, label, 'type', { type })];
};

/** A parameter of this endpoint that can be invalid. */
const parameterOf = (endpoint: Endpoint): string => {
  const { docs } = endpoint;
  if (docs.query?.[0] !== undefined) return docs.query[0].name;
  if (docs.list === true) return 'sort';
  if (relationsOf(endpoint).length > 0) return 'include';
  return takesIdempotencyKey(endpoint) ? 'Idempotency-Key' : 'id';
};

/** No list has a field of this name, so the example is valid for all of them. */
const unknownField = 'unknown_field';

const mediaTypeOf = ({ accepts }: Endpoint): string =>
  accepts === 'nothing' || accepts === 'bytes' ? mediaTypes.json : mediaTypes[accepts];

/** Values for the placeholders of the messages, of an endpoint or of none. */
const valuesFor = (
  name: ProblemName,
  endpoint: Endpoint | undefined,
  { bodyLimit, writeLimits }: Pick<DescriptionOptions, 'bodyLimit' | 'writeLimits'>,
): Readonly<Record<string, string | number>> => {
  const limits = endpoint?.limits;
  const limit = name === 'too_many_files' ? limits?.files : limits?.file;
  const parameter = endpoint === undefined ? 'sort' : parameterOf(endpoint);
  const { cascade } = writeLimits;
  return {
    max: name === 'cascade_too_large' ? cascade.records : maxDepth,
    levels: cascade.levels,
    limit: limit ?? bodyLimit,
    records: writeLimits.batch,
    bytes: maxAnswerBytes,
    key: endpoint?.bodyKey ?? 'record',
    type: endpoint === undefined ? mediaTypes.json : mediaTypeOf(endpoint),
    name: name === 'unusable_field' ? unknownField : parameter,
  };
};

/** An error response in the language of the service. */
export const problemExample = (
  kind: ProblemKind,
  endpoint: Endpoint | undefined,
  options: Pick<DescriptionOptions, 'messages' | 'bodyLimit' | 'writeLimits'>,
): JsonObject => {
  const { messages } = options;
  if (typeof kind !== 'string') return { code: kind.code, message: labelIn(kind.message, messages) };
  const code = problemTable[kind];
  if (kind !== 'invalid_record' || endpoint === undefined) {
    const data = problemData[kind]?.example;
    const message = fill(messages.problems[kind], valuesFor(kind, endpoint, options));
    return withoutUndefined({ code, message, data });
  }
  const errors = validationErrors(endpoint, messages);
  const message = fill(messages.problems.invalid_record, {
    errors: errors.map((error) => error.message).join(', '),
  });
  return { code, message, data: { errors: errors.map((error) => ({ ...error })) } };
};
