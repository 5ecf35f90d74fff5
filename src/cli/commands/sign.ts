import { readFile } from 'node:fs/promises';
import { signatureHeaders, signatureOf } from '../../auth/signature.ts';
import { assertAppId } from '../../vault/credentials.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { openCredentials } from '../credentials.ts';
import { curlCommand } from '../curl.ts';
import { CommandError, type Io, readAll, readSecret, UsageError } from '../io.ts';

interface SecretSource {
  readonly body: string | undefined;
  readonly 'body-file': string | undefined;
  readonly 'secret-stdin': boolean | undefined;
}

/** The bytes to sign. stdin is read only where nothing else was named and no person sits at it. */
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
  const [secret] = (await openCredentials(io)).secretsOf(appId, io.clock());
  if (secret === undefined) throw new CommandError(`there is no application ${JSON.stringify(appId)}`);
  return secret;
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

/** METHOD and URL, given if and only if a curl is wanted. */
const targetOf = (
  operands: readonly string[],
  curl: boolean | undefined,
): { method?: string; url?: string } => {
  const [method, url] = operands;
  if (curl !== true) {
    if (method !== undefined) throw new UsageError(`unexpected argument '${method}' without --curl`);
    return {};
  }
  if (method === undefined || url === undefined) throw new UsageError('--curl takes METHOD and URL');
  return { method: method.toUpperCase(), url };
};

export const command = defineCommand({
  operands: ['[METHOD]', '[URL]'],
  options: {
    app: { type: 'string', value: 'ID', help: 'the application that signs' },
    'secret-stdin': { type: 'boolean', help: 'read its secret from stdin, not from the credentials file' },
    body: { type: 'string', value: 'TEXT', help: 'the body' },
    'body-file': { type: 'string', value: 'FILE', help: 'the body, byte for byte; - is stdin' },
    timestamp: { type: 'string', value: 'SECONDS', help: 'Unix time (default now)' },
    curl: { type: 'boolean', help: 'print a whole curl for METHOD and URL' },
    message: { type: 'boolean', help: 'print the exact bytes that are signed; needs no secret' },
    ...jsonOption,
  },
  description: [
    'Prints the headers X-App-Id, X-Timestamp and X-Signature of a request.',
    'Without --body and --body-file the body is read from stdin, unless that is a terminal or holds the secret, or the',
    'curl is a GET, HEAD or DELETE: then it is empty.',
  ],
  examples: [
    `gatewright sign --app shop --body '{"order_no":"A1"}'`,
    `gatewright sign --app shop --body-file order.json --curl POST http://127.0.0.1:3000/api/v1/payment`,
    `gatewright sign --body '' --message | openssl dgst -sha256 -hmac "$SECRET"`,
  ],
  async run({ values, operands }, io) {
    if ([values.curl, values.message, values.json].filter(Boolean).length > 1) {
      throw new UsageError('--curl, --message and --json exclude each other');
    }
    const { method, url } = targetOf(operands, values.curl);
    const timestamp = timestampOf(values.timestamp, io);
    const appId = values.message === true ? '' : appIdOf(values.app);
    const source = {
      body: values.body,
      'body-file': values['body-file'],
      'secret-stdin': values['secret-stdin'],
    };
    const body = await bodyOf(source, method, io);
    if (values.message === true) return io.write(Buffer.concat([Buffer.from(`${timestamp}\n`), body]));

    const secret = await secretOf(appId, values['secret-stdin'], io);
    const headers = {
      [signatureHeaders.appId]: appId,
      [signatureHeaders.timestamp]: timestamp,
      [signatureHeaders.signature]: signatureOf(secret, timestamp, body),
    };
    if (values.json === true) return io.print(JSON.stringify(headers));
    if (method !== undefined && url !== undefined) {
      return io.print(curlCommand({ method, url, headers, body, bodyFile: values['body-file'] }));
    }
    for (const [name, value] of Object.entries(headers)) io.print(`${name}: ${value}`);
  },
});
