import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  contentDigest,
  ed25519Algorithm,
  hmacSha256Algorithm,
  isDigestOf,
  type SigningKey,
  signatureBase,
  signHttp,
} from './http-signature.ts';
import type { AuthDependencies, AuthRequest } from './method.ts';
import { guard } from './principal.ts';
import { openMethods } from './registry.ts';
import { signatureOf } from './signature.ts';
import { type InnerList, parseDictionary } from './structured-fields.ts';

const listIn = (field: string): InnerList => {
  const [member] = parseDictionary(field)?.values() ?? [];
  if (member === undefined || !('items' in member)) throw new Error('no list');
  return member;
};

const spkiOf = (key: Parameters<typeof createPublicKey>[0]): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

/** RFC 9421, appendix B.2: the request, and its keys of B.1.4 and B.1.5. */
const rfc = {
  request: {
    method: 'POST',
    origin: 'https://example.com',
    target: '/foo?param=Value&Pet=dog',
    headers: {
      date: 'Tue, 20 Apr 2021 02:07:55 GMT',
      'content-type': 'application/json',
      'content-digest':
        'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
      'content-length': '18',
    } as Record<string, string>,
  },
  body: '{"hello": "world"}',
  ed25519: `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`,
  publicKey: 'MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=',
  secret: Buffer.from(
    'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
    'base64',
  ),
  b25: {
    input: 'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    base: [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@authority": example.com',
      '"content-type": application/json',
      '"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    ],
    signature: 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=',
  },
  b26: {
    input:
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    base: [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    ],
    signature: 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  },
};

const rfcRequest = (changed: Partial<typeof rfc.request> = {}) => {
  const { headers, ...request } = { ...rfc.request, ...changed };
  return { ...request, header: (name: string) => headers[name] };
};

describe('the vectors of RFC 9421, appendix B', () => {
  // The secret of B.1.5 is bytes that are no text; an application's secret is text, whose bytes are the key.
  const verifiers = {
    b25: (base: Uint8Array, signature: Uint8Array) =>
      hmacSha256Algorithm.verifies(rfc.secret as unknown as string, base, signature),
    b26: (base: Uint8Array, signature: Uint8Array) =>
      ed25519Algorithm.verifies(rfc.publicKey, base, signature),
  };

  it('B.1.4: the public key is that of the private key', () => {
    expect(spkiOf(createPrivateKey(rfc.ed25519))).toBe(rfc.publicKey);
  });

  describe.each(['b25', 'b26'] as const)('%s', (name) => {
    const { input, base, signature } = rfc[name];
    const verifies = (request = rfcRequest(), list = listIn(input)): boolean => {
      const made = signatureBase(request, list);
      return made !== undefined && verifiers[name](made, Buffer.from(signature, 'base64'));
    };

    it('the example has this signature base and this signature', () => {
      expect(signatureBase(rfcRequest(), listIn(input))?.toString()).toBe(base.join('\n'));
      expect(verifies()).toBe(true);
    });

    const covered = listIn(input).items.map(({ value }) => String(value));
    const changes: Readonly<Record<string, Partial<typeof rfc.request>>> = {
      '@method': { method: 'PUT' },
      '@path': { target: '/fob?param=Value&Pet=dog' },
      '@authority': { origin: 'https://example.org' },
    };

    it.each(covered)('fails where %s is another', (component) => {
      const { headers } = rfc.request;
      const changed = changes[component] ?? {
        headers: { ...headers, [component]: `${headers[component]} ` },
      };
      expect(verifies(rfcRequest(changed))).toBe(false);
    });

    it.each(covered.filter((component) => !component.startsWith('@')))('fails without %s', (component) => {
      const { [component]: _, ...headers } = rfc.request.headers;
      expect(signatureBase(rfcRequest({ headers }), listIn(input))).toBeUndefined();
    });

    it('fails with other parameters, and with the components in another order', () => {
      for (const changed of [
        input.replace('1618884473', '1618884474'),
        input.replace('keyid="test', 'keyid="Test'),
        `${input};nonce="x"`,
        input.replace(/\("(\S+)" "(\S+)"/, '("$2" "$1"'),
      ])
        expect(verifies(rfcRequest(), listIn(changed)), changed).toBe(false);
    });

    it('fails with one bit of the signature changed', () => {
      for (let bit = 0; bit < Buffer.from(signature, 'base64').length * 8; bit += 7) {
        const bytes = Buffer.from(signature, 'base64');
        bytes.writeUInt8((bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
        expect(verifiers[name](Buffer.from(base.join('\n')), bytes)).toBe(false);
      }
    });
  });

  it('its Content-Digest is that of its body', () => {
    const digest = rfc.request.headers['content-digest'] ?? '';
    expect(isDigestOf(digest, Buffer.from(rfc.body))).toBe(true);
    expect(isDigestOf(digest, Buffer.from(`${rfc.body}\n`))).toBe(false);
  });
});

/** The points of small order, and their other spellings (RFC 8032, 5.1; the order divides 8). */
const smallOrder = [
  `01${'00'.repeat(31)}`,
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(30)}7f`,
  `ec${'ff'.repeat(31)}`,
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
];

describe('a public key that is a point of small order', () => {
  // The neutral element and zero: where the point is accepted, it holds for one message of eight at least.
  const forged = Buffer.alloc(64);
  forged[0] = 1;

  it.each(smallOrder)('verifies no signature: %s', (point) => {
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(point, 'hex')]);
    for (let index = 0; index < 128; index += 1)
      expect(ed25519Algorithm.verifies(spki.toString('base64'), Buffer.of(index), forged)).toBe(false);
  });
});

describe('components', () => {
  const lines = (names: string, target = '/a/b?c=d') =>
    signatureBase(rfcRequest({ target }), listIn(`s=(${names})`))
      ?.toString()
      .split('\n')
      .slice(0, -1);

  it('components are those of the target as it was sent', () => {
    const names = '"@target-uri" "@scheme" "@authority" "@request-target" "@path" "@query"';
    expect(lines(names)).toEqual([
      '"@target-uri": https://example.com/a/b?c=d',
      '"@scheme": https',
      '"@authority": example.com',
      '"@request-target": /a/b?c=d',
      '"@path": /a/b',
      '"@query": ?c=d',
    ]);
    expect(lines('"@query" "@path"', '/%7Ea')).toEqual(['"@query": ?', '"@path": /%7Ea']);
    expect(lines('"@query"', '/a?')).toEqual(['"@query": ?']);
  });

  it.each([
    '"@status"',
    '"@unknown"',
    '"@query-param";name="c"',
    '"date";sf',
    '"Date"',
    '"date" "date"',
    '""',
    '1',
    '"x-absent"',
  ])('the components of a signature are not read from %s', (names) => {
    expect(lines(names)).toBeUndefined();
  });
});

describe('a digest', () => {
  const body = Buffer.from('{"a":1}');
  const sha256 = contentDigest(body);
  const sha512 =
    'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:';

  it.each([
    [sha256, true],
    [`${sha256}, md5=:AAAA:`, true],
    [`${sha256}, ${sha512}`, false],
    ['md5=:AAAA:', false],
    [sha512, false],
    [contentDigest(''), false],
    [sha256.replace('sha-256', 'SHA-256'), false],
    [sha256.replaceAll(':', '"'), false],
    ['sha-256=("a")', false],
    [`${sha256}, ${sha256}`, false],
    ['', false],
  ])('a digest of %s is checked: %s', (field, expected) => {
    expect(isDigestOf(field, body)).toBe(expected);
  });

  it('the digest of no bytes is that of an empty body', () => {
    expect(contentDigest('')).toBe('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
    expect(isDigestOf(contentDigest(''), new Uint8Array())).toBe(true);
  });
});

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const seconds = Math.floor(now / 1000);
const pair = generateKeyPairSync('ed25519');
const publicKey = spkiOf(pair.privateKey);

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The method over applications with a secret, with a public key, and with both kinds during a change. */
const setUp = ({ away = false } = {}) => {
  const used: string[] = [];
  const nonces = new Map<string, number>();
  let bodies = 0;
  const applications: AuthDependencies['applications'] = {
    secretsOf: (appId) =>
      ({ shop: ['secret'], turning: ['new', 'old', 'older'], both: ['secret'] })[appId] ?? [],
    publicKeysOf: (appId) => ({ bank: [publicKey], both: [publicKey] })[appId] ?? [],
  };
  const dependencies: Partial<AuthDependencies> = {
    applications,
    nonces: {
      use: async (appId, nonce, until) => {
        if (away) throw new Error('database away');
        const key = `${appId} ${nonce}`;
        if (nonces.has(key)) return false;
        nonces.set(key, until);
        return true;
      },
    },
    usage: { keyUsed: () => {}, applicationUsed: (appId, at) => used.push(`${appId} ${at}`) },
    clock: () => now,
    baseUrl: 'https://api.example.com/shop',
  };
  const methods = openMethods(dependencies as AuthDependencies);
  const ask = ({ method = 'POST', target = '/shop/api?a=1', body = '', headers }: Sent) =>
    guard([methods.http_signature], {
      method,
      target,
      models: [],
      address: '192.0.2.7',
      header: (name) => headers[name],
      proxyHeader: () => undefined,
      readBody: () => {
        bodies += 1;
        return Buffer.from(body);
      },
    } satisfies AuthRequest);
  return { ask, used, nonces, bodies: () => bodies, methods };
};

let count = 0;
const signed = (
  keyId: string,
  key: SigningKey,
  { body = '', created = seconds, nonce = `n${++count}`, target = '/shop/api?a=1' } = {},
): Sent & { readonly headers: Record<string, string> } => {
  const request = { method: 'POST', origin: 'https://api.example.com', target };
  const { headers } = signHttp(request, body, key, { keyId, created, nonce });
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { target, body, headers: Object.fromEntries(lower) };
};

/** The same with another Signature-Input, signed again. */
const resigned = (sent: Sent, input: string, secret: string): Sent => {
  const header = (name: string) => sent.headers[name];
  const { method = 'POST', target = '' } = sent;
  const list = parseDictionary(input)?.get('sig');
  if (list === undefined || !('items' in list)) throw new Error(`no list: ${input}`);
  const base = signatureBase({ method, origin: 'https://api.example.com', target, header }, list);
  const bytes = Buffer.from(base === undefined ? '00'.repeat(32) : hmacHex(secret, base), 'hex');
  const headers = {
    ...sent.headers,
    'signature-input': input,
    signature: `sig=:${bytes.toString('base64')}:`,
  };
  return { ...sent, headers };
};

const hmacHex = (secret: string, base: Buffer): string => {
  // The signature of the contract's algorithm, which hashes the timestamp, a line feed and the body.
  const [first = '', ...rest] = base.toString('latin1').split('\n');
  return signatureOf(secret, first, Buffer.from(rest.join('\n'), 'latin1'));
};

const invalid = { problem: 'invalid_signature', status: 401 };
const late = { problem: 'invalid_timestamp', status: 401 };

describe('http_signature', () => {
  const application = (appId: string) => ({ kind: 'application', appId, method: 'http_signature' });

  it.each([
    ['shop', { secret: 'secret' }],
    ['bank', { privateKey: pair.privateKey }],
    ['both', { secret: 'secret' }],
    ['both', { privateKey: pair.privateKey }],
    ['turning', { secret: 'new' }],
    ['turning', { secret: 'older' }],
  ] as const)('%s is the principal, by any of its live keys', async (appId, key) => {
    const { ask, used } = setUp();
    expect(await ask(signed(appId, key, { body: '{"a":1}' }))).toEqual(application(appId));
    expect(used).toEqual([`${appId} ${now}`]);
  });

  it('accepts a nonce once, of each application', async () => {
    const { ask, used } = setUp();
    const once = signed('shop', { secret: 'secret' }, { nonce: 'once' });
    expect(await ask(once)).toEqual(application('shop'));
    await expect(ask(once)).rejects.toMatchObject(invalid);
    const other = signed('shop', { secret: 'secret' }, { nonce: 'once', body: 'x', created: seconds - 1 });
    await expect(ask(other)).rejects.toMatchObject(invalid);
    expect(await ask(signed('both', { secret: 'secret' }, { nonce: 'once' }))).toEqual(application('both'));
    expect(used).toHaveLength(2);
  });

  it('keeps a nonce until no request with it is accepted', async () => {
    const { ask, nonces } = setUp();
    await ask(signed('shop', { secret: 'secret' }, { nonce: 'a', created: seconds + 300 }));
    expect(nonces.get('shop a')).toBe(seconds + 600);
  });

  it('leaves a nonce unused where another body came with the headers', async () => {
    const { ask, nonces } = setUp();
    const sent = signed('shop', { secret: 'secret' }, { body: '{"a":1}' });
    await expect(ask({ ...sent, body: '{"a":2}' })).rejects.toMatchObject(invalid);
    expect(nonces.size).toBe(0);
    expect(await ask(sent)).toEqual(application('shop'));
  });

  it('reads no body before the signature holds', async () => {
    const { ask, bodies } = setUp();
    await expect(ask(signed('shop', { secret: 'other' }))).rejects.toMatchObject(invalid);
    await expect(ask(signed('shop', { secret: 'secret' }, { created: 1 }))).rejects.toMatchObject(late);
    expect(bodies()).toBe(0);
  });

  it.each([-300, 300])('accepts created %s s off', async (off) => {
    expect(await setUp().ask(signed('shop', { secret: 'secret' }, { created: seconds + off }))).toBeDefined();
  });

  it.each([-301, 301, -seconds, 10 ** 14])('refuses created %s s off', async (off) => {
    const sent = signed('shop', { secret: 'secret' }, { created: seconds + off });
    await expect(setUp().ask(sent)).rejects.toMatchObject(late);
  });

  it('refuses a signature that has expired, and accepts one that has not', async () => {
    const sent = signed('shop', { secret: 'secret' });
    const input = (expires: number) => `${sent.headers['signature-input']};expires=${expires}`;
    await expect(setUp().ask(resigned(sent, input(seconds), 'secret'))).rejects.toMatchObject(late);
    expect(await setUp().ask(resigned(sent, input(seconds + 1), 'secret'))).toEqual(application('shop'));
  });

  it('an unknown application, a wrong key and one of the other kind are refused alike', async () => {
    const { ask, used } = setUp();
    const refusals = [];
    for (const [appId, key] of [
      ['shop', { secret: 'wrong' }],
      ['stranger', { secret: 'secret' }],
      ['stranger', { privateKey: pair.privateKey }],
      ['shop', { privateKey: pair.privateKey }],
      ['bank', { secret: 'secret' }],
    ] as const)
      refusals.push({ ...(await ask(signed(appId, key)).catch((error) => error)) });
    expect(refusals[0]).toMatchObject({ kind: 'invalid_signature' });
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
    expect(used).toEqual([]);
  });

  it('http_signature never uses a public key as a secret', async () => {
    for (const secret of [publicKey, Buffer.from(publicKey, 'base64').toString('latin1')])
      await expect(setUp().ask(signed('bank', { secret }))).rejects.toMatchObject(invalid);
  });

  it('refuses an algorithm that is not that of the signature', async () => {
    for (const alg of ['ed25519', 'HMAC-SHA256', 'none', 'rsa-v1_5-sha256', '']) {
      const sent = signed('shop', { secret: 'secret' });
      const input = String(sent.headers['signature-input']).replace('alg="hmac-sha256"', `alg="${alg}"`);
      await expect(setUp().ask(resigned(sent, input, 'secret')), alg).rejects.toMatchObject(invalid);
    }
  });

  it('needs neither an algorithm nor a tag', async () => {
    const sent = signed('shop', { secret: 'secret' });
    const bare = String(sent.headers['signature-input']).replace(/;alg=.*$/, '');
    expect(await setUp().ask(resigned(sent, bare, 'secret'))).toEqual(application('shop'));
  });

  const changed = (from: RegExp | string, to: string) => (input: string) => input.replace(from, to);
  it.each<readonly [string, (input: string) => string]>([
    ['@method is not covered', changed('"@method" ', '')],
    ['@target-uri is not covered', changed('"@target-uri" ', '')],
    ['content-digest is not covered', changed(' "content-digest"', '')],
    ['@method has a parameter', changed('"@method"', '"@method";req')],
    ['@method is covered twice', changed('"@method"', '"@method" "@method"')],
    ['an unknown component is covered', changed('"@method"', '"@method" "@nothing"')],
    ['an absent header is covered', changed('"@method"', '"@method" "x-absent"')],
    ['nothing is covered', changed(/\(.*\)/, '()')],
    ['created is missing', changed(/created=\d+;/, '')],
    ['created is text', changed(/created=(\d+)/, 'created="$1"')],
    ['created is a flag', changed(/created=\d+/, 'created')],
    ['nonce is missing', changed(/;nonce="[^"]*"/, '')],
    ['nonce is empty', changed(/nonce="[^"]*"/, 'nonce=""')],
    ['nonce is a number', changed(/nonce="[^"]*"/, 'nonce=1')],
    ['nonce has a space', changed(/nonce="[^"]*"/, 'nonce="a b"')],
    ['nonce is too long', changed(/nonce="[^"]*"/, `nonce="${'n'.repeat(129)}"`)],
    ['keyid is missing', changed(/;keyid="[^"]*"/, '')],
    ['keyid is a flag', changed(/keyid="[^"]*"/, 'keyid')],
    ['expires is text', changed('created', `expires="${seconds + 60}";created`)],
    ['alg is a number', changed(/alg="[^"]*"/, 'alg=1')],
    ['a parameter is unknown', changed('created', 'x="y";created')],
    ['the tag is that of others', changed('tag="gatewright"', 'tag="proxy"')],
  ])('refuses a good signature where %s', async (_, change) => {
    const sent = signed('shop', { secret: 'secret' });
    const input = change(String(sent.headers['signature-input']));
    await expect(setUp().ask(resigned(sent, input, 'secret'))).rejects.toMatchObject(invalid);
  });

  it.each<readonly [string, Partial<Sent>]>([
    ['the method', { method: 'PUT' }],
    ['the path', { target: '/shop/apj?a=1' }],
    ['the query', { target: '/shop/api?a=2' }],
    ['the order of the query', { target: '/shop/api?' }],
    ['the spelling of the path', { target: '/shop/%61pi?a=1' }],
    ['the body', { body: '{"a":1} ' }],
    ['the absence of the body', { body: '' }],
  ])('refuses another value of %s', async (_, change) => {
    for (const [appId, key] of [
      ['shop', { secret: 'secret' }],
      ['bank', { privateKey: pair.privateKey }],
    ] as const) {
      const sent = signed(appId, key, { body: '{"a":1}' });
      await expect(setUp().ask({ ...sent, ...change })).rejects.toMatchObject(invalid);
    }
  });

  it.each(['signature-input', 'signature', 'content-digest'])(
    'refuses a request without %s',
    async (name) => {
      const { headers, ...sent } = signed('shop', { secret: 'secret' });
      await expect(
        setUp().ask({ ...sent, headers: { ...headers, [name]: undefined } }),
      ).rejects.toMatchObject(invalid);
    },
  );

  it('refuses two signatures for it, and passes over those for others', async () => {
    const { headers, ...sent } = signed('shop', { secret: 'secret' });
    const with2 = (input: string) => ({
      ...sent,
      headers: {
        ...headers,
        'signature-input': `${input}, ${headers['signature-input']}`,
        signature: `b=:AAAA:, ${headers['signature']}`,
      },
    });
    expect(await setUp().ask(with2('b=("date";sf "@status");created=1;tag="proxy"'))).toEqual(
      application('shop'),
    );
    await expect(setUp().ask(with2('b=("date");created=1'))).rejects.toMatchObject(invalid);
    await expect(setUp().ask(with2('b=("date");tag="gatewright"'))).rejects.toMatchObject(invalid);
    await expect(setUp().ask(with2('sig=("date");tag="proxy"'))).rejects.toMatchObject(invalid);
  });

  it.each(['sig=("@method")', 'other=:AAAA:', 'sig=:AAAA:;x', 'sig="AAAA"', 'sig=:AAAA:, sig=:AAAA:', ''])(
    'refuses the signature %j',
    async (signature) => {
      const { headers, ...sent } = signed('shop', { secret: 'secret' });
      await expect(setUp().ask({ ...sent, headers: { ...headers, signature } })).rejects.toMatchObject(
        invalid,
      );
    },
  );

  it('covers further headers, as bytes', async () => {
    const { headers, ...sent } = signed('shop', { secret: 'secret' });
    const request = { ...sent, headers: { ...headers, 'x-note': 'caf\u00e9\u00a0' } };
    const input = String(headers['signature-input']).replace('"@method"', '"@method" "x-note"');
    const good = resigned(request, input, 'secret');
    expect(await setUp().ask(good)).toEqual(application('shop'));
    const other = { ...good, headers: { ...good.headers, 'x-note': 'caf\u00e9' } };
    await expect(setUp().ask(other)).rejects.toMatchObject(invalid);
  });

  it('an outage is no refusal', async () => {
    await expect(setUp({ away: true }).ask(signed('shop', { secret: 'secret' }))).rejects.toThrow(
      'database away',
    );
  });

  it('asks for a signature in every 401', async () => {
    const { ask, methods } = setUp();
    const refused = await ask({ headers: {} }).catch((error) => error);
    expect(refused).toMatchObject({
      problem: 'unauthenticated',
      headers: {
        'WWW-Authenticate': 'HttpSignature realm="gatewright"',
        'Accept-Signature': 'sig=("@method" "@target-uri" "content-digest");created;tag="gatewright"',
      },
    });
    expect(parseDictionary(refused.headers['Accept-Signature'])).toBeDefined();
    const none = await guard([methods.signature], { header: () => undefined } as never).catch(
      (error) => error,
    );
    expect(none.headers).not.toHaveProperty('Accept-Signature');
  });

  test('no headers make it throw anything but a refusal', async () => {
    const { ask } = setUp();
    const { headers: good } = signed('shop', { secret: 'secret' });
    const around = (text: string) =>
      fc.oneof(
        fc.string({ maxLength: 80 }),
        fc
          .tuple(fc.nat(text.length), fc.nat(3), fc.string({ maxLength: 3 }))
          .map(([at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length)),
      );
    const names = ['signature-input', 'signature', 'content-digest'] as const;
    const headers = fc.record(Object.fromEntries(names.map((name) => [name, around(good[name] ?? '')])));
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        if (names.every((name) => sent[name] === good[name])) return;
        const outcome = await ask({ headers: sent }).catch((error: unknown) => error);
        // A change of blanks between members changes nothing.
        if ((outcome as { kind?: string }).kind === 'application') return;
        expect(outcome).toMatchObject({ status: 401 });
      }),
      { numRuns: 1_000 },
    );
  });
});
