/** HTTP Message Signatures (RFC 9421) and Content-Digest (RFC 9530): signed components, and signatures. */

import type { KeyObject } from 'node:crypto';
import { createHash, createHmac, createPublicKey, sign, timingSafeEqual, verify } from 'node:crypto';
import {
  type InnerList,
  type Item,
  type Parameters,
  parseDictionary,
  serialize,
} from './structured-fields.ts';

export const httpSignatureHeaders = {
  input: 'Signature-Input',
  signature: 'Signature',
  digest: 'Content-Digest',
} as const;

/** Components that every signature covers. */
export const requiredComponents = ['@method', '@target-uri', 'content-digest'] as const;

/** The parts of a request that a signature can cover. */
export interface SignableRequest {
  readonly method: string;
  /** Scheme and authority by which callers know the service: `https://api.example.com`. */
  readonly origin: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  /** The value of a header with a lowercase name, as it is sent. */
  header(name: string): string | undefined;
}

const queryAt = (target: string): number => {
  const mark = target.indexOf('?');
  return mark < 0 ? target.length : mark;
};

/** The components that are not headers (RFC 9421, 2.2). */
const derived: ReadonlyMap<string, (request: SignableRequest) => string> = new Map([
  ['@method', ({ method }) => method],
  ['@target-uri', ({ origin, target }) => origin + target],
  ['@scheme', ({ origin }) => origin.slice(0, origin.indexOf(':'))],
  ['@authority', ({ origin }) => origin.slice(origin.indexOf('//') + 2)],
  ['@request-target', ({ target }) => target],
  ['@path', ({ target }) => target.slice(0, queryAt(target))],
  ['@query', ({ target }) => target.slice(queryAt(target)) || '?'],
]);

const headerForm = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** The value of a component; undefined for one that is unknown or absent. */
const componentOf = (request: SignableRequest, name: string): string | undefined => {
  const derive = derived.get(name);
  if (derive !== undefined) return derive(request);
  return headerForm.test(name) ? request.header(name) : undefined;
};

/**
 * The text that is signed (RFC 9421, 2.5); undefined where a component is named twice, unknown or absent, or has
 * parameters. Its characters are bytes, as headers have them.
 */
export const signatureBase = (request: SignableRequest, input: InnerList): Buffer | undefined => {
  const lines: string[] = [];
  const seen = new Set<unknown>();
  for (const { value: name, parameters } of input.items) {
    if (typeof name !== 'string' || parameters.size > 0 || seen.has(name)) return undefined;
    seen.add(name);
    const value = componentOf(request, name);
    if (value === undefined) return undefined;
    lines.push(`"${name}": ${value}`);
  }
  lines.push(`"@signature-params": ${serialize(input)}`);
  return Buffer.from(lines.join('\n'), 'latin1');
};

/** One signature of a request, with the parameters that this service demands and knows. */
export interface HttpSignature {
  readonly input: InnerList;
  readonly keyId: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly created: number;
  readonly expires: number | undefined;
  readonly alg: string | undefined;
  readonly signature: Uint8Array;
}

/** The tag of signatures for this service, where they have one. */
export const signatureTag = 'gatewright';

const knownParameters: ReadonlySet<string> = new Set(['created', 'expires', 'nonce', 'keyid', 'alg', 'tag']);

const nonceForm = /^[\x21-\x7e]{1,128}$/;

type Optional<T> = T | undefined;

const text = (parameters: Parameters, name: string): Optional<string> | null => {
  const value = parameters.get(name);
  return value === undefined || typeof value === 'string' ? value : null;
};

const integer = (parameters: Parameters, name: string): Optional<number> | null => {
  const value = parameters.get(name);
  return value === undefined || typeof value === 'number' ? value : null;
};

/** Undefined where a demanded parameter is absent, one has another type, or one is unknown. */
const readParameters = ({
  parameters,
}: InnerList): Omit<HttpSignature, 'input' | 'signature'> | undefined => {
  const created = integer(parameters, 'created');
  const expires = integer(parameters, 'expires');
  const [nonce, keyId, alg] = [text(parameters, 'nonce'), text(parameters, 'keyid'), text(parameters, 'alg')];
  if (typeof created !== 'number' || expires === null || alg === null) return undefined;
  if (typeof nonce !== 'string' || !nonceForm.test(nonce) || typeof keyId !== 'string') return undefined;
  if ([...parameters.keys()].some((name) => !knownParameters.has(name))) return undefined;
  return { created, expires, nonce, keyId, alg };
};

const covers = ({ items }: InnerList, name: string): boolean => items.some(({ value }) => value === name);

const isList = (member: Item | InnerList): member is InnerList => 'items' in member;

/** True if a signature is for another reader: its tag says so. */
const isForOthers = (member: Item | InnerList): boolean => {
  const tag = member.parameters.get('tag');
  return typeof tag === 'string' && tag !== signatureTag;
};

/**
 * Returns the signature of a request for this service: the only one of its two fields whose tag names no other reader.
 * Undefined if there is none, or more than one, or if it leaves out a required component.
 */
export const readHttpSignature = (inputField: string, signatureField: string): HttpSignature | undefined => {
  const labelled = [...(parseDictionary(inputField) ?? [])].filter(([, member]) => !isForOthers(member));
  const [label, input] = labelled[0] ?? [];
  if (labelled.length !== 1 || label === undefined || input === undefined || !isList(input)) return undefined;
  const bytes = parseDictionary(signatureField)?.get(label);
  if (bytes === undefined || isList(bytes) || !(bytes.value instanceof Uint8Array)) return undefined;
  if (bytes.parameters.size > 0 || !requiredComponents.every((name) => covers(input, name))) return undefined;
  const parameters = readParameters(input);
  return parameters && { ...parameters, input, signature: bytes.value };
};

/** Algorithms of Content-Digest by their names in node:crypto. Others that a field names are ignored (RFC 9530, 2). */
const digests: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

/**
 * True if a Content-Digest fits exactly these bytes: it has a digest of a known algorithm, and every such digest fits.
 */
export const isDigestOf = (field: string, body: Uint8Array): boolean => {
  const known = [...(parseDictionary(field) ?? [])].filter(([name]) => digests.has(name));
  return (
    known.length > 0 &&
    known.every(([name, member]) => {
      const given = isList(member) ? undefined : member.value;
      const digest = createHash(digests.get(name) ?? '')
        .update(body)
        .digest();
      return given instanceof Uint8Array && digest.equals(given);
    })
  );
};

export const contentDigest = (body: string | Uint8Array): string =>
  `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

/** An algorithm, by the kind of key that it takes. A key of one kind is never used by the other. */
export interface HttpSignatureAlgorithm {
  readonly name: 'hmac-sha256' | 'ed25519';
  /** Length of its signatures, by which the algorithm of a signature is known where it does not say. */
  readonly bytes: number;
  /** @param key a secret, whose UTF-8 bytes are the key; or SPKI in base64 */
  verifies(key: string, base: Uint8Array, signature: Uint8Array): boolean;
}

const publicKeyIn = (base64: string): KeyObject =>
  createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });

const hmac = (secret: string, base: Uint8Array): Buffer => createHmac('sha256', secret).update(base).digest();

export const hmacSha256Algorithm: HttpSignatureAlgorithm = {
  name: 'hmac-sha256',
  bytes: 32,
  verifies: (secret, base, signature) => timingSafeEqual(hmac(secret, base), signature),
};

export const ed25519Algorithm: HttpSignatureAlgorithm = {
  name: 'ed25519',
  bytes: 64,
  verifies: (key, base, signature) => verify(null, base, publicKeyIn(key), signature),
};

/** A key to sign with: the secret of an application, or an Ed25519 private key. */
export type SigningKey = { readonly secret: string } | { readonly privateKey: KeyObject };

export interface SigningOptions {
  readonly keyId: string;
  /** Unix seconds. */
  readonly created: number;
  readonly nonce: string;
}

/** Parameters and components of a signature that this package makes. */
export const signatureInput = ({ keyId, created, nonce }: SigningOptions, alg: string): InnerList => ({
  items: requiredComponents.map((value) => ({ value, parameters: new Map() })),
  parameters: new Map<string, string | number>([
    ...Object.entries({ created, nonce, keyid: keyId, alg, tag: signatureTag }),
  ]),
});

/** The label of a signature that this package makes. */
const label = 'sig';

/** The three headers of a request that is signed by RFC 9421. */
export const signHttp = (
  request: Omit<SignableRequest, 'header'>,
  body: string | Uint8Array,
  key: SigningKey,
  options: SigningOptions,
): { readonly headers: Readonly<Record<string, string>>; readonly base: Buffer } => {
  const digest = contentDigest(body);
  const algorithm = 'secret' in key ? hmacSha256Algorithm : ed25519Algorithm;
  const input = signatureInput(options, algorithm.name);
  const header = (name: string): string | undefined => (name === 'content-digest' ? digest : undefined);
  const base = signatureBase({ ...request, header }, input);
  if (base === undefined) throw new Error('the signature covers what every request has');
  const signature = 'secret' in key ? hmac(key.secret, base) : sign(null, base, key.privateKey);
  return {
    base,
    headers: {
      [httpSignatureHeaders.digest]: digest,
      [httpSignatureHeaders.input]: `${label}=${serialize(input)}`,
      [httpSignatureHeaders.signature]: `${label}=:${signature.toString('base64')}:`,
    },
  };
};
