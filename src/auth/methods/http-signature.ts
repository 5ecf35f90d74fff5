/** Authentication of applications by HTTP Message Signatures (RFC 9421), each of which is accepted once. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Translations } from '../../kernel/messages.ts';
import { isSignedByOneOf, rejectedOf } from '../application-signature.ts';
import {
  ed25519Algorithm,
  type HttpSignature,
  type HttpSignatureAlgorithm,
  hmacSha256Algorithm,
  httpSignatureHeaders,
  isDigestOf,
  readHttpSignature,
  requiredComponents,
  signatureBase,
  signatureTag,
} from '../http-signature.ts';
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
import { timestampTolerance } from '../signature.ts';

type ByHttpSignature = IdentifiedApplication<'http_signature'>;

interface KeyedAlgorithm extends HttpSignatureAlgorithm {
  readonly keysOf: (applications: ApplicationKeys, appId: string, now: number) => readonly string[];
  /** A random key that is used in place of keys that an application does not have. */
  readonly dummy: string;
}

const dummyPublicKey = (): string =>
  generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** The kind of a signature decides which keys of the application are tried, so a public key is never a secret. */
const algorithms: readonly KeyedAlgorithm[] = [
  {
    ...hmacSha256Algorithm,
    keysOf: (applications, appId, now) => applications.secretsOf(appId, now),
    dummy: randomBytes(32).toString('hex'),
  },
  {
    ...ed25519Algorithm,
    keysOf: (applications, appId, now) => applications.publicKeysOf(appId, now),
    dummy: dummyPublicKey(),
  },
];

const isTimely = ({ created, expires }: HttpSignature, now: number): boolean => {
  const seconds = Math.floor(now / 1000);
  return Math.abs(created - seconds) <= timestampTolerance && (expires === undefined || expires > seconds);
};

/** True if a live key of the application made the signature. */
const isSigned = (
  { keyId, alg, signature }: HttpSignature,
  base: Uint8Array,
  applications: ApplicationKeys,
  now: number,
): boolean => {
  const algorithm = algorithms.find(({ bytes }) => bytes === signature.length);
  if (algorithm === undefined || (alg !== undefined && alg !== algorithm.name)) return false;
  const keys = algorithm.keysOf(applications, keyId, now);
  return isSignedByOneOf(keys, algorithm.dummy, (key) => algorithm.verifies(key, base, signature));
};

const inputHeader = httpSignatureHeaders.input.toLowerCase();
const signatureHeader = httpSignatureHeaders.signature.toLowerCase();
const digestHeader = httpSignatureHeaders.digest.toLowerCase();

const open = ({
  applications,
  nonces,
  usage,
  clock,
  baseUrl,
}: AuthDependencies): Authenticate<ByHttpSignature> => {
  // Callers sign the address that they call. `Host` is not asked, as anybody can send any.
  const { origin } = new URL(baseUrl);

  /**
   * The digest is covered by the signature, whose key may have been revoked while the body arrived. The nonce is used
   * last, so that no other caller can use it up.
   */
  const verifyBody = async (
    signed: HttpSignature,
    request: AuthRequest,
    base: Uint8Array,
  ): Promise<AuthOutcome<ByHttpSignature>> => {
    const { keyId, nonce, created } = signed;
    const digest = request.header(digestHeader) ?? '';
    const body = request.readBody();
    const isDigest = isDigestOf(digest, await body);
    const isStillSigned = !(body instanceof Promise) || isSigned(signed, base, applications, clock());
    if (!isDigest || !isStillSigned) return rejectedOf('invalid_signature', keyId);
    if (!(await nonces.use(keyId, nonce, created + timestampTolerance)))
      return rejectedOf('invalid_signature', keyId);
    usage.applicationUsed(keyId, clock());
    return { kind: 'principal', principal: { kind: 'application', appId: keyId, method: 'http_signature' } };
  };

  return (request) => {
    const input = request.header(inputHeader);
    const signature = request.header(signatureHeader);
    if (input === undefined && signature === undefined) return absent;
    const signed = readHttpSignature(input ?? '', signature ?? '');
    if (signed === undefined) return rejectedOf('invalid_signature', undefined);
    const { keyId } = signed;
    const now = clock();
    if (!isTimely(signed, now)) return rejectedOf('invalid_timestamp', keyId);
    const { method, target } = request;
    const header = (name: string): string | undefined => request.header(name);
    const base = signatureBase({ method, origin, target, header }, signed.input);
    if (base === undefined || !isSigned(signed, base, applications, now))
      return rejectedOf('invalid_signature', keyId);
    return verifyBody(signed, request, base);
  };
};

const header = (name: string, description: Translations) =>
  ({ type: 'apiKey', in: 'header', name, description }) as const satisfies SecurityScheme;

const components = requiredComponents.map((name) => `"${name}"`).join(' ');

/** HTTP Message Signatures (RFC 9421), for endpoints that list them; the principal is the application. */
export const httpSignature = {
  name: 'http_signature',
  label: { 'zh-CN': 'HTTP 消息签名', en: 'HTTP message signature' },
  plotted: { 'zh-CN': 'HTTP 签名', en: 'HTTP signature' },
  area: 'api',
  optIn: true,
  holder: 'application',
  isHeldBy: (applications: ApplicationKeys, appId: string, now: number) =>
    algorithms.some(({ keysOf }) => keysOf(applications, appId, now).length > 0),
  challenge: 'HttpSignature realm="gatewright"',
  refusalHeaders: {
    'Accept-Signature': {
      value: `sig=(${components});created;tag="${signatureTag}"`,
      description: {
        'zh-CN': '所需的 HTTP 消息签名（RFC 9421，第 5 节）',
        en: 'The HTTP message signature that is asked for (RFC 9421, section 5)',
      },
    },
  },
  refusals: ['invalid_signature', 'invalid_timestamp'],
  writeRefusals: [],
  coversBody: true,
  schemes: {
    signatureInput: header(httpSignatureHeaders.input, {
      'zh-CN': `签名所覆盖的内容与参数（RFC 9421）：至少 ${components}，以及 \`created\`、\`nonce\`、\`keyid\`（应用编号）`,
      en: `Components and parameters of the signature (RFC 9421): at least ${components}, with \`created\`, \`nonce\` and \`keyid\`, the id of the application`,
    }),
    httpSignature: header(httpSignatureHeaders.signature, {
      'zh-CN': '签名（RFC 9421）：`hmac-sha256` 或 `ed25519`',
      en: 'The signature (RFC 9421): `hmac-sha256` or `ed25519`',
    }),
    contentDigest: header(httpSignatureHeaders.digest, {
      'zh-CN': '请求体的摘要（RFC 9530）：`sha-256` 或 `sha-512`，没有请求体时为空内容的摘要',
      en: 'Digest of the body (RFC 9530): `sha-256` or `sha-512`; of no bytes where there is no body',
    }),
  },
  overview: {
    listed: {
      'zh-CN':
        'HTTP 消息签名（RFC 9421，`Signature-Input`、`Signature`、`Content-Digest` 三个请求头同时发送）',
      en: 'HTTP message signature (RFC 9421, headers `Signature-Input`, `Signature` and `Content-Digest`)',
    },
    more: {
      'zh-CN': `HTTP 消息签名至少覆盖 ${components}；\`created\` 与服务器相差不得超过 300 秒，每个 \`nonce\` 只接受一次。目标地址为服务的公开地址加路径与查询。`,
      en: `An HTTP message signature covers at least ${components}. \`created\` is at most 300 seconds away from the server, and each \`nonce\` is accepted once. The target URI is the public address of the service with path and query.`,
    },
  },
  open,
} as const satisfies AuthMethod;
