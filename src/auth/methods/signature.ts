/** Authentication of applications by `X-Signature`, an HMAC over the time and the body. */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Translations } from '../../kernel/messages.ts';
import { isSignedByOneOf, rejectedOf } from '../application-signature.ts';
import {
  type AuthDependencies,
  type Authenticate,
  type AuthMethod,
  type AuthOutcome,
  type AuthRequest,
  absent,
  type IdentifiedApplication,
  type SecurityScheme,
} from '../method.ts';
import type { ApplicationKeys } from '../ports.ts';
import { signatureHeaders, signatureOf, timestampTolerance } from '../signature.ts';

type BySignature = IdentifiedApplication<'signature'>;

const timestampForm = /^[1-9][0-9]{0,11}$/;
const signatureForm = /^[0-9a-f]{64}$/;

const isTimely = (timestamp: string, now: number): boolean =>
  timestampForm.test(timestamp) && Math.abs(Number(timestamp) - Math.floor(now / 1000)) <= timestampTolerance;

/** A random secret that is used in place of secrets that an application does not have. */
const dummySecret = randomBytes(32).toString('hex');

const isSigned = (
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array,
  given: string,
): boolean => {
  const received = Buffer.from(given, 'latin1');
  return isSignedByOneOf(secrets, dummySecret, (secret) =>
    timingSafeEqual(Buffer.from(signatureOf(secret, timestamp, body), 'latin1'), received),
  );
};

/**
 * The checks of the contract, in its order, of a request that carries all three headers. Only this method reads a
 * body before the caller is known, so every check that does not need the body comes first.
 */
const verify = (
  { applications, usage, clock }: AuthDependencies,
  request: AuthRequest,
  [appId, timestamp, signature]: readonly [string, string, string],
): Promise<AuthOutcome<BySignature>> | AuthOutcome<BySignature> => {
  const now = clock();
  if (!isTimely(timestamp, now)) return rejectedOf('invalid_timestamp', appId);
  if (!signatureForm.test(signature)) return rejectedOf('invalid_signature', appId);
  const verifyBody = (body: Uint8Array): AuthOutcome<BySignature> => {
    if (!isSigned(applications.secretsOf(appId, now), timestamp, body, signature))
      return rejectedOf('invalid_signature', appId);
    usage.applicationUsed(appId, now);
    return { kind: 'principal', principal: { kind: 'application', appId, method: 'signature' } };
  };
  const body = request.readBody();
  return body instanceof Promise ? body.then(verifyBody) : verifyBody(body);
};

const appIdHeader = signatureHeaders.appId.toLowerCase();
const timestampHeader = signatureHeaders.timestamp.toLowerCase();
const signatureHeader = signatureHeaders.signature.toLowerCase();

const open =
  (dependencies: AuthDependencies): Authenticate<BySignature> =>
  (request) => {
    const appId = request.header(appIdHeader);
    const timestamp = request.header(timestampHeader);
    const signature = request.header(signatureHeader);
    if (appId === undefined && timestamp === undefined && signature === undefined) return absent;
    if (appId === undefined || timestamp === undefined || signature === undefined) {
      return rejectedOf('invalid_signature', appId);
    }
    return verify(dependencies, request, [appId, timestamp, signature]);
  };

const header = (name: string, description: Translations) =>
  ({ type: 'apiKey', in: 'header', name, description }) as const satisfies SecurityScheme;

/** `X-App-Id`, `X-Timestamp` and `X-Signature`; the principal is the application. */
export const signature = {
  name: 'signature',
  label: { 'zh-CN': '请求签名', en: 'Signature' },
  plotted: { 'zh-CN': '签名', en: 'Signature' },
  area: 'api',
  holder: 'application',
  isHeldBy: (applications: ApplicationKeys, appId: string, now: number) =>
    applications.secretsOf(appId, now).length > 0,
  challenge: 'Signature realm="gatewright", headers="X-App-Id X-Timestamp X-Signature"',
  refusals: ['invalid_signature', 'invalid_timestamp'],
  writeRefusals: [],
  coversBody: true,
  schemes: {
    appId: header(signatureHeaders.appId, { 'zh-CN': '应用编号', en: 'Id of the application' }),
    timestamp: header(signatureHeaders.timestamp, {
      'zh-CN': 'Unix 秒，与服务器时间相差不超过 300 秒',
      en: 'Unix seconds, at most 300 away from the server',
    }),
    signature: header(signatureHeaders.signature, {
      'zh-CN': '`HMAC-SHA256(api_secret, 时间戳 + 换行符 + 请求体)` 的小写十六进制',
      en: 'Lowercase hex of HMAC-SHA256(api_secret, timestamp + line feed + body)',
    }),
  },
  overview: {
    listed: {
      'zh-CN': '请求签名（`X-App-Id`、`X-Timestamp`、`X-Signature` 三个请求头同时发送）',
      en: 'request signature (headers `X-App-Id`, `X-Timestamp` and `X-Signature`)',
    },
    more: {
      'zh-CN':
        '签名为 `HMAC-SHA256(api_secret, 时间戳 + 换行符 + 原始请求体)` 的小写十六进制；时间戳为 Unix 秒，与服务器相差不得超过 300 秒。',
      en: 'Signature = lowercase hex of HMAC-SHA256(api_secret, timestamp + line feed + raw request body); the timestamp is Unix seconds, at most 300 seconds away from the server.',
    },
  },
  open,
} as const satisfies AuthMethod;
