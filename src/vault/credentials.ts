/** The decrypted content of the credentials: its types, limits, parser and text form. */

import { parseTimestamp, toTimestamp } from '../kernel/clock.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../kernel/json.ts';
import { isPublicKey } from './public-key.ts';
import { VaultError } from './vault-error.ts';

/** The key with which an application signs: a secret that it shares, or the public one of its key pair. */
export type AppKey = { readonly api_secret: string } | { readonly public_key: string };

/** A replaced key that still signs until `until`, exclusive. */
export type PreviousKey = AppKey & { readonly until: string };

export type AppKeys = AppKey & {
  readonly rotated_at: string;
  readonly previous?: readonly PreviousKey[];
};

/** The content of the encrypted file. A map, so that an app_id never collides with a property of Object.prototype. */
export interface Credentials {
  /** Raised by every change; 0 in a file that was last changed before serials existed. */
  readonly serial: number;
  readonly jwt_secret?: string | undefined;
  /** Replaced secrets, the most recent first: they open values that were sealed under them, and sign nothing. */
  readonly former_jwt_secrets?: readonly string[] | undefined;
  /** Password of the SMTP server. */
  readonly smtp_password?: string | undefined;
  /** Secrets of this service at identity providers, by the names of the providers. */
  readonly providers?: Readonly<Record<string, { readonly client_secret: string }>> | undefined;
  /** While a new key is distributed: the age recipients for whom every change is also encrypted, the new one last. */
  readonly recipients?: readonly string[] | undefined;
  readonly apps: ReadonlyMap<string, AppKeys>;
}

export const noCredentials: Credentials = { serial: 0, apps: new Map() };

const minimumJwtSecretBytes = 32;
const maximumSecretBytes = 1024;
const maxFormerSecrets = 16;
const recipientPattern = /^age1[0-9a-z]{58,2000}$/;
const appIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * 1 to 64 ASCII letters, digits, dots, underscores and hyphens, the first one a letter or digit: safe in a header, a
 * shell and a log.
 */
export const isAppId = (text: string): boolean => appIdPattern.test(text);

/** Throws `VaultError` with the rule for an app_id. */
export const assertAppId = (text: string): void => {
  if (isAppId(text)) return;
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  throw new VaultError(
    `${shown} is not an app_id: 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit`,
  );
};

const refuse = (where: string, why: string): never => {
  throw new VaultError(`${where} ${why}`);
};

const objectAt = (value: Json | undefined, where: string, fields?: readonly string[]): JsonObject => {
  if (!isJsonObject(value)) return refuse(where, 'is not an object');
  const unknown = fields && Object.keys(value).find((key) => !fields.includes(key));
  if (unknown !== undefined) {
    refuse(
      where,
      `holds an unknown field ${JSON.stringify(unknown.slice(0, 80))}; it may hold ${fields?.join(', ')}`,
    );
  }
  return value;
};

const secretAt = (value: Json | undefined, where: string, minimum: number): string => {
  if (typeof value !== 'string') return refuse(where, 'is not text');
  // A lone surrogate has no UTF-8 form: different secrets would become the same bytes.
  if (!value.isWellFormed()) refuse(where, 'is not well-formed Unicode');
  const bytes = Buffer.byteLength(value);
  if (bytes < minimum)
    refuse(where, minimum === 1 ? 'is empty' : `has ${bytes} bytes, at least ${minimum} are needed`);
  if (bytes > maximumSecretBytes)
    refuse(where, `has ${bytes} bytes, at most ${maximumSecretBytes} are allowed`);
  return value;
};

const timestampAt = (value: Json | undefined, where: string): string => {
  const milliseconds = typeof value === 'string' ? parseTimestamp(value) : undefined;
  const canonical = milliseconds === undefined ? undefined : toTimestamp(milliseconds);
  if (canonical === undefined || canonical !== value) {
    return refuse(where, 'is not a timestamp of the form YYYY-MM-DDTHH:MM:SS.mmmZ');
  }
  return canonical;
};

const keyAt = (entry: JsonObject, where: string): AppKey => {
  const publicKey = own(entry, 'public_key');
  if (publicKey === undefined)
    return { api_secret: secretAt(own(entry, 'api_secret'), `${where}.api_secret`, 1) };
  if (own(entry, 'api_secret') !== undefined) refuse(where, 'holds a secret and a public key');
  return typeof publicKey === 'string' && isPublicKey(publicKey)
    ? { public_key: publicKey }
    : refuse(`${where}.public_key`, 'is not an Ed25519 public key (SPKI in base64)');
};

const previousAt = (value: Json, where: string): PreviousKey => {
  const entry = objectAt(value, where, ['api_secret', 'public_key', 'until']);
  return {
    ...keyAt(entry, where),
    until: timestampAt(own(entry, 'until'), `${where}.until`),
  };
};

const applicationAt = (value: Json, where: string): AppKeys => {
  const entry = objectAt(value, where, ['api_secret', 'public_key', 'rotated_at', 'previous']);
  const application = {
    ...keyAt(entry, where),
    rotated_at: timestampAt(own(entry, 'rotated_at'), `${where}.rotated_at`),
  };
  const previous = own(entry, 'previous');
  if (previous === undefined) return application;
  if (!Array.isArray(previous)) return refuse(`${where}.previous`, 'is not an array');
  return {
    ...application,
    previous: previous.map((one, index) => previousAt(one, `${where}.previous[${index}]`)),
  };
};

const serialAt = (value: Json | undefined): number => {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    return refuse('serial', 'is not a whole number from 0 on');
  return value;
};

const listAt = (value: Json | undefined, where: string): readonly Json[] => {
  if (!Array.isArray(value) || value.length === 0) return refuse(where, 'is not an array of at least one');
  if (value.length > maxFormerSecrets) refuse(where, `holds more than ${maxFormerSecrets}`);
  return value;
};

const recipientAt = (value: Json, where: string): string =>
  typeof value === 'string' && recipientPattern.test(value)
    ? value
    : refuse(where, 'is not an age recipient');

const providersAt = (value: Json): NonNullable<Credentials['providers']> =>
  Object.fromEntries(
    Object.entries(objectAt(value, 'providers')).map(([name, each]) => {
      const entry = objectAt(each, `providers.${name}`, ['client_secret']);
      const secret = secretAt(own(entry, 'client_secret'), `providers.${name}.client_secret`, 1);
      return [name, { client_secret: secret }];
    }),
  );

/** The fields beside `serial` and `apps`, undefined where they are absent. */
const optionalFields = (content: JsonObject): Omit<Credentials, 'serial' | 'apps'> => {
  const read = <Value>(name: string, parse: (value: Json) => Value): Value | undefined => {
    const value = own(content, name);
    return value === undefined ? undefined : parse(value);
  };
  const jwtSecretAt = (value: Json, where: string): string => secretAt(value, where, minimumJwtSecretBytes);
  return {
    jwt_secret: read('jwt_secret', (value) => jwtSecretAt(value, 'jwt_secret')),
    former_jwt_secrets: read('former_jwt_secrets', (value) =>
      listAt(value, 'former_jwt_secrets').map((one, index) =>
        jwtSecretAt(one, `former_jwt_secrets[${index}]`),
      ),
    ),
    smtp_password: read('smtp_password', (value) => secretAt(value, 'smtp_password', 1)),
    providers: read('providers', providersAt),
    recipients: read('recipients', (value) =>
      listAt(value, 'recipients').map((one, index) => recipientAt(one, `recipients[${index}]`)),
    ),
  };
};

/** The same credentials with a secret among the former ones. Beyond the limit the oldest is dropped. */
export const withFormerSecret = (credentials: Credentials, secret: string): Credentials => {
  const others = (credentials.former_jwt_secrets ?? []).filter((one) => one !== secret);
  return { ...credentials, former_jwt_secrets: [secret, ...others].slice(0, maxFormerSecrets) };
};

/** The parser's own message quotes the text around the mistake, which may be a secret. */
const parseContent = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    if (position === undefined) throw new VaultError('the content is not valid JSON');
    const before = text.slice(0, Number(position));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    throw new VaultError(`the content is not valid JSON at line ${line}, column ${column}`);
  }
};

/** Parses the decrypted content. Throws `VaultError`, one line that names the place and shows no secret. */
export const parseCredentials = (text: string): Credentials => {
  const content = objectAt(parseContent(text), 'the content', [
    'serial',
    'jwt_secret',
    'former_jwt_secrets',
    'smtp_password',
    'providers',
    'recipients',
    'apps',
  ]);
  const serial = serialAt(own(content, 'serial'));
  const apps = new Map<string, AppKeys>();
  for (const [appId, value] of Object.entries(objectAt(own(content, 'apps') ?? {}, 'apps'))) {
    assertAppId(appId);
    apps.set(appId, applicationAt(value, `apps.${appId}`));
  }
  return { serial, ...optionalFields(content), apps };
};

/** The content in the form that is encrypted and that `credentials edit` shows. */
export const formatCredentials = ({ serial, apps, ...secrets }: Credentials): string => {
  const numbered = serial === 0 ? {} : { serial };
  return `${JSON.stringify({ ...numbered, ...secrets, apps: Object.fromEntries(apps) }, null, 2)}\n`;
};
