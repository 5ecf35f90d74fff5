import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** A security key in software: what a browser and an authenticator do with passkeys (WebAuthn, level 3), with ES256. */

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

const head = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  return value < 256
    ? Buffer.from([(major << 5) | 24, value])
    : Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
};

/** The part of CBOR (RFC 8949) that passkeys take. */
const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as ReadonlyMap<number | string, Cbor>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((entry) => entry.map(cbor))]);
};

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

export interface Asking {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

export class Authenticator {
  readonly credential = randomBytes(16);
  /** Signatures so far; undefined for one that does not count them. */
  counter: number | undefined;
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;

  constructor(counter: number | undefined = 0) {
    this.counter = counter;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    this.#publicKey = cbor(
      new Map<number, Cbor>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        ...([
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ] as const),
      ]),
    );
  }

  get id(): string {
    return this.credential.toString('base64url');
  }

  #authData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter ?? 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  #answer(response: object) {
    return {
      ...{ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {} },
      response,
    };
  }

  /** RegistrationResponseJSON. */
  create({ challenge, origin, rpId }: Asking) {
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge, origin }));
    const length = Buffer.from([0, this.credential.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credential, this.#publicKey]);
    // User present, attested credential data.
    const authData = Buffer.concat([this.#authData(rpId, 0x41), attested]);
    const object = cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      attestationObject: object.toString('base64url'),
      transports: ['usb', 'made-up'],
    });
  }

  /** AuthenticationResponseJSON. */
  get({ challenge, origin, rpId }: Asking) {
    if (this.counter !== undefined) this.counter += 1;
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin }));
    const authData = this.#authData(rpId, 0x01);
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(client)]))
      .sign(this.#privateKey);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }
}
