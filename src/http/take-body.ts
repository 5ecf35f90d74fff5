import { isJsonObject, type JsonObject, own } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import { isFormMediaType, isJsonMediaType, isMultipartMediaType, parseObject } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { parseFields, parseForm, typedFields } from './form.ts';
import type { Request } from './request.ts';

type BodyType = 'json' | 'form' | 'multipart';

/** Media types that endpoints ask for; those of bodies that are taken beside JSON are not named in a refusal. */
export const mediaTypes = {
  json: 'application/json',
  'json-or-form': 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

type TypedAccepts = keyof typeof mediaTypes;

const typeOf = (accepts: TypedAccepts, type: string | undefined): BodyType | undefined => {
  if (accepts === 'multipart') return isMultipartMediaType(type) ? 'multipart' : undefined;
  if (accepts !== 'json' && isFormMediaType(type)) return 'form';
  return accepts !== 'form' && isJsonMediaType(type) ? 'json' : undefined;
};

/** What a body claims to be, before it is read. */
const bodyType = (accepts: TypedAccepts, request: Request): BodyType => {
  const encoding = request.header('content-encoding');
  const plain = encoding === undefined || encoding === 'identity';
  const type = plain ? typeOf(accepts, request.header('content-type')) : undefined;
  if (type === undefined)
    throw new Problem('unsupported_media_type', { params: { type: mediaTypes[accepts] } });
  return type;
};

const parseJsonBody = ({ bodyKey }: Endpoint, request: Request): JsonObject => {
  const body = parseObject(request.bytes, (values) => request.expect(values));
  if (bodyKey === undefined) return body;
  const record = own(body, bodyKey);
  if (!isJsonObject(record)) throw new Problem('missing_key', { params: { key: bodyKey } });
  return record;
};

/** The body of a write: JSON or a form, and in it the object under the body key where the endpoint has one. */
const parseBody = (endpoint: Endpoint, type: 'json' | 'form', request: Request): JsonObject => {
  const { bodyKey, input = {} } = endpoint;
  if (type === 'json') return parseJsonBody(endpoint, request);
  return bodyKey === undefined ? parseFields(request.bytes, input) : parseForm(request.bytes, bodyKey, input);
};

/** What a multipart body may bring where an endpoint says nothing else: ten files of 10 MiB. */
export const defaultLimits = { file: 10_485_760, files: 10 } as const;

const takeParts = async (
  { limits = defaultLimits, input = {} }: Endpoint,
  request: Request,
): Promise<void> => {
  const { texts } = await request.readParts(limits);
  request.body = typedFields(texts, input);
};

/** By what frames a body in HTTP/1.1: its length, or that it comes in chunks. */
const hasNoBody = (request: Request): boolean =>
  request.header('transfer-encoding') === undefined && (request.header('content-length') ?? '0') === '0';

/**
 * Reads the body that an endpoint accepts and parses it; at once where all of it has come. One of bytes is left to
 * the handler.
 * @throws Problem `unsupported_media_type`, and what is wrong with the body
 */
export const takeBody = (endpoint: Endpoint, request: Request): Promise<void> | undefined => {
  const { accepts } = endpoint;
  if (accepts === 'bytes' || accepts === 'nothing') return undefined;
  if (endpoint.bodyOptional === true && hasNoBody(request)) return undefined;
  const type = bodyType(accepts, request);
  if (type === 'multipart') return takeParts(endpoint, request);
  const parse = (bytes: Uint8Array): void => {
    request.bytes = bytes;
    request.body = parseBody(endpoint, type, request);
  };
  const read = request.readBody();
  if (read instanceof Promise) return read.then(parse);
  parse(read);
  return undefined;
};
