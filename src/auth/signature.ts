import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { type AuthMethod, type AuthOutcome, type AuthRequest, absent } from './method.ts';
import type { ApplicationSecrets, UsageRecorder } from './ports.ts';

/** Seconds that a timestamp may differ from the server's time, either side. */
export const timestampTolerance = 300;

const timestampForm = /^[1-9][0-9]{0,11}$/;
const signatureForm = /^[0-9a-f]{64}$/;

/** HMAC-SHA256 of the parts one after the other, lowercase hex. A key given as text counts as its UTF-8 bytes. */
export const hmacSha256 = (
  key: string | Uint8Array,
  ...message: readonly (string | Uint8Array)[]
): string => {
  const hmac = createHmac('sha256', key);
  for (const part of message) hmac.update(part);
  return hmac.digest('hex');
};

/** The signature of a request: over the timestamp header's own text, a line feed and the raw body. */
export const signatureOf = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  hmacSha256(secret, timestamp, '\n', body);

const rejected = (name: ProblemName): AuthOutcome => ({ kind: 'rejected', problem: new Problem(name) });

const isTimely = (timestamp: string, now: number): boolean =>
  timestampForm.test(timestamp) && Math.abs(Number(timestamp) - Math.floor(now / 1000)) <= timestampTolerance;

/** No one knows this secret: what is signed with it stands in for the secrets that an application does not have. */
const nobodysSecret = randomBytes(32).toString('hex');

/**
 * At least two, so that an unknown application, one with a secret and one in the midst of a rotation take the same
 * time. What is computed with a stand-in is never accepted: see `isSigned`.
 */
const withStandIns = (secrets: readonly string[]): readonly string[] =>
  secrets.length >= 2 ? secrets : [...secrets, nobodysSecret, nobodysSecret].slice(0, 2);

/** Compares with every live secret, to the end, whichever one fits. */
const isSigned = (
  secrets: readonly string[],
  timestamp: string,
  body: Uint8Array,
  given: string,
): boolean => {
  const received = Buffer.from(given, 'latin1');
  let signed = false;
  for (const [index, secret] of withStandIns(secrets).entries()) {
    const expected = Buffer.from(signatureOf(secret, timestamp, body), 'latin1');
    if (timingSafeEqual(expected, received) && index < secrets.length) signed = true;
  }
  return signed;
};

export interface SignatureDependencies {
  readonly applications: ApplicationSecrets;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
}

/**
 * The checks of the contract, in its order, of a request that carries all three headers. Nothing else in the service
 * reads a body before it knows who sends it, so whatever can be refused without is refused before.
 */
const verify = (
  { applications, usage, clock }: SignatureDependencies,
  request: AuthRequest,
  [appId, timestamp, signature]: readonly [string, string, string],
): Promise<AuthOutcome> | AuthOutcome => {
  const now = clock();
  if (!isTimely(timestamp, now)) return rejected('invalid_timestamp');
  if (!signatureForm.test(signature)) return rejected('invalid_signature');
  const verifyBody = (body: Uint8Array): AuthOutcome => {
    if (!isSigned(applications.secretsOf(appId, now), timestamp, body, signature))
      return rejected('invalid_signature');
    usage.applicationUsed(appId, now);
    return { kind: 'principal', principal: { kind: 'application', appId, method: 'signature' } };
  };
  const body = request.readBody();
  return body instanceof Promise ? body.then(verifyBody) : verifyBody(body);
};

const header = (name: string): Readonly<Record<string, string>> => ({ type: 'apiKey', in: 'header', name });

/** `X-App-Id`, `X-Timestamp` and `X-Signature`; the identity is the application. */
export const createSignatureMethod = (dependencies: SignatureDependencies): AuthMethod => ({
  name: 'signature',
  challenge: 'Signature realm="gatewright", headers="X-App-Id X-Timestamp X-Signature"',
  schemes: {
    appId: header('X-App-Id'),
    timestamp: header('X-Timestamp'),
    signature: header('X-Signature'),
  },
  authenticate(request) {
    const appId = request.header('x-app-id');
    const timestamp = request.header('x-timestamp');
    const signature = request.header('x-signature');
    if (appId === undefined && timestamp === undefined && signature === undefined) return absent;
    if (appId === undefined || timestamp === undefined || signature === undefined) {
      return rejected('invalid_signature');
    }
    return verify(dependencies, request, [appId, timestamp, signature]);
  },
});
