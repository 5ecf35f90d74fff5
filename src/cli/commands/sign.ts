/** `gatewright sign`: signs a request of an application, and prints its headers or a curl command. */

import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type SigningKey, signHttp } from '../../auth/http-signature.ts';
import { signatureHeaders, signatureOf } from '../../auth/signature.ts';
import { assertAppId } from '../../vault/credentials.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { openCredentials } from '../credentials.ts';
import { CommandError, type Io, readAll, readSecret, UsageError } from '../io.ts';

interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The file from which curl reads the body; `-` is no file. */
  readonly bodyFile: string | undefined;
}

/** Quotes a text as one word of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const inlineBody = (body: Uint8Array): string => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: refused below, like a NUL.
  }
  throw new CommandError('a command line cannot hold this body: name it with --body-file');
};

/** Options of curl that send exactly the signed bytes. */
const bodyArguments = ({ body, bodyFile }: SignedRequest): string[] => {
  if (body.length === 0) return [];
  const type = ['--header', quote('Content-Type: application/json')];
  if (bodyFile !== undefined && bodyFile !== '-') return [...type, '--data-binary', quote(`@${bodyFile}`)];
  // --data-raw takes a leading @ as text, where --data-binary would read a file.
  return [...type, '--data-raw', quote(inlineBody(body))];
};

/**
 * A command line for a POSIX shell that sends the request exactly as it was signed. Throws `UsageError`,
 * `CommandError`.
 */
export const curlCommand = (request: SignedRequest): string => {
  const { method, url, headers } = request;
  if (!/^[A-Z]{1,16}$/.test(method)) throw new UsageError(`'${method}' is not an HTTP method`);
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url) || /\s/.test(url)) {
    throw new UsageError(`'${url}' is not an http or https URL`);
  }
  return [
    // Hides progress but not errors; `--globoff` keeps curl from interpreting brackets in a query.
    'curl -sS --globoff',
    method === 'HEAD' ? '--head' : `--request ${method}`,
    quote(url),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', quote(`${name}: ${value}`)]),
    ...bodyArguments(request),
  ].join(' ');
};

interface SecretSource {
  readonly key: string | undefined;
  readonly body: string | undefined;
  readonly 'body-file': string | undefined;
  readonly 'secret-stdin': boolean | undefined;
}

/** The bytes to sign. Stdin is read only if no other source is named and it is not a terminal. */
const bodyOf = async (source: SecretSource, method: string | undefined, io: Io): Promise<Uint8Array> => {
  const { body, 'body-file': file, 'secret-stdin': secretOnStdin } = source;
  if (body !== undefined && file !== undefined)
    throw new UsageError('--body and --body-file exclude each other');
  if (body !== undefined) return Buffer.from(body);
  if (file === '-' && secretOnStdin) throw new UsageError('stdin holds the secret or the body, not both');
  if (file !== undefined && file !== '-') return readFile(file);
  const bodiless = secretOnStdin || method === 'GET' || method === 'HEAD' || method === 'DELETE';
  return file === undefined && (bodiless || io.interactive) ? Buffer.alloc(0) : readAll(io);
};

const secretOf = async (appId: string, fromStdin: boolean | undefined, io: Io): Promise<string> => {
  if (fromStdin === true) return readSecret(io, 'secret');
  const vault = await openCredentials(io);
  const [secret] = vault.secretsOf(appId, io.clock());
  if (secret !== undefined) return secret;
  if (vault.publicKeysOf(appId, io.clock()).length === 0)
    throw new CommandError(`there is no application ${JSON.stringify(appId)}`);
  throw new CommandError(
    `the application ${appId} has a public key: sign with --http and --key, its private key`,
  );
};

/** The private key of a file, or the secret of the application. */
const signingKeyOf = async (
  appId: string,
  { key, 'secret-stdin': fromStdin }: SecretSource,
  io: Io,
): Promise<SigningKey> => {
  if (key === undefined) return { secret: await secretOf(appId, fromStdin, io) };
  const text = await readFile(key);
  try {
    const privateKey = createPrivateKey(text);
    if (privateKey.asymmetricKeyType === 'ed25519') return { privateKey };
  } catch {
    // The parser's message may quote the key.
  }
  throw new CommandError(`${key} holds no Ed25519 private key in PEM`);
};

const timestampOf = (given: string | undefined, io: Io): string => {
  const timestamp = given ?? String(Math.floor(io.clock() / 1000));
  if (/^[1-9][0-9]{0,11}$/.test(timestamp)) return timestamp;
  throw new UsageError('--timestamp takes Unix seconds: 1 to 12 digits, no leading zero');
};

const appIdOf = (given: string | undefined): string => {
  if (given === undefined) throw new UsageError('--app ID is missing');
  assertAppId(given);
  return given;
};

/** METHOD and URL, which are given exactly if a curl command or an HTTP message signature is wanted. */
const targetOf = (
  operands: readonly string[],
  { curl, http }: { readonly curl?: boolean; readonly http?: boolean },
): { method?: string; url?: string } => {
  const [method, url] = operands;
  if (curl !== true && http !== true) {
    if (method !== undefined)
      throw new UsageError(`unexpected argument '${method}' without --curl or --http`);
    return {};
  }
  if (method === undefined || url === undefined)
    throw new UsageError(`${http === true ? '--http' : '--curl'} takes METHOD and URL`);
  return { method: method.toUpperCase(), url };
};

/** An address as curl and others send it: without its fragment. @throws UsageError */
const sentAddress = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError(`'${text}' is not an http or https URL`);
  url.hash = '';
  return url;
};

const nonceOf = (given: string | undefined): string => {
  const nonce = given ?? randomUUID();
  if (/^[!-~]{1,128}$/.test(nonce)) return nonce;
  throw new UsageError('--nonce takes 1 to 128 visible ASCII characters');
};

/** Prints the headers, as JSON or in a curl command where that is wanted. */
const printSigned = (
  io: Io,
  {
    method = '',
    url = '',
    ...request
  }: Omit<SignedRequest, 'method' | 'url'> & { method?: string | undefined; url?: string | undefined },
  { json, curl }: { readonly json?: boolean; readonly curl?: boolean },
): void => {
  if (json === true) io.print(JSON.stringify(request.headers));
  else if (curl === true) io.print(curlCommand({ ...request, method, url }));
  else for (const [name, value] of Object.entries(request.headers)) io.print(`${name}: ${value}`);
};

export const command = defineCommand({
  operands: ['[METHOD]', '[URL]'],
  options: {
    app: { type: 'string', value: 'ID', help: 'the application that signs' },
    'secret-stdin': { type: 'boolean', help: 'read its secret from stdin instead of the credentials file' },
    body: { type: 'string', value: 'TEXT', help: 'the body' },
    'body-file': { type: 'string', value: 'FILE', help: 'the body, byte for byte; - is stdin' },
    http: { type: 'boolean', help: 'sign METHOD and URL as well, by RFC 9421' },
    key: {
      type: 'string',
      value: 'FILE',
      help: 'with --http: an Ed25519 private key in PEM, instead of a secret',
    },
    nonce: {
      type: 'string',
      value: 'TEXT',
      help: 'with --http: what the service accepts once (default random)',
    },
    timestamp: { type: 'string', value: 'SECONDS', help: 'Unix time (default now)' },
    curl: { type: 'boolean', help: 'print a complete curl command for METHOD and URL' },
    message: { type: 'boolean', help: 'print the exact bytes to be signed; needs no secret' },
    ...jsonOption,
  },
  description: [
    'Prints the headers X-App-Id, X-Timestamp and X-Signature of a request. With --http these are Content-Digest,',
    'Signature-Input and Signature, which cover METHOD and URL and are valid once.',
    'Without --body and --body-file, the body is read from stdin. It is empty if stdin is a terminal or has the secret, or',
    'if the curl is a GET, HEAD or DELETE.',
  ],
  examples: [
    `gatewright sign --app shop --body '{"order_no":"A1"}'`,
    `gatewright sign --app shop --body-file order.json --curl POST http://127.0.0.1:3000/api/v1/payment`,
    `gatewright sign --http --app bank --key bank.key --body '{"a":1}' POST https://api.example.com/api/v1/orders`,
    `gatewright sign --body '' --message | openssl dgst -sha256 -hmac "$SECRET"`,
  ],
  async run({ values, operands }, io) {
    if ([values.curl, values.message, values.json].filter(Boolean).length > 1) {
      throw new UsageError('--curl, --message and --json exclude each other');
    }
    if (values.http !== true && (values.key !== undefined || values.nonce !== undefined))
      throw new UsageError('--key and --nonce belong to --http');
    const { method, url } = targetOf(operands, values);
    const timestamp = timestampOf(values.timestamp, io);
    const appId = values.message === true && values.http !== true ? '' : appIdOf(values.app);
    const source = {
      key: values.key,
      body: values.body,
      'body-file': values['body-file'],
      'secret-stdin': values['secret-stdin'],
    };
    const body = await bodyOf(source, method, io);
    const bodyFile = values['body-file'];
    if (values.http === true && method !== undefined && url !== undefined) {
      const { href, origin } = sentAddress(url);
      const options = { keyId: appId, created: Number(timestamp), nonce: nonceOf(values.nonce) };
      const request = { method, origin, target: href.slice(origin.length) };
      const key = await signingKeyOf(appId, source, io);
      const { base, headers } = signHttp(request, body, key, options);
      if (values.message === true) return io.write(base);
      return printSigned(io, { method, url: href, headers, body, bodyFile }, values);
    }
    if (values.message === true) return io.write(Buffer.concat([Buffer.from(`${timestamp}\n`), body]));

    const secret = await secretOf(appId, values['secret-stdin'], io);
    const headers = {
      [signatureHeaders.appId]: appId,
      [signatureHeaders.timestamp]: timestamp,
      [signatureHeaders.signature]: signatureOf(secret, timestamp, body),
    };
    printSigned(io, { method, url, headers, body, bodyFile }, values);
  },
});
