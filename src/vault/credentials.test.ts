import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCredentials, isAppId, parseCredentials } from './credentials.ts';

const secret = 'a'.repeat(64);
const rotated_at = '2026-01-02T03:04:05.678Z';
const shop = { api_secret: secret, rotated_at };
const parse = (content: unknown) => parseCredentials(JSON.stringify(content));

describe('parseCredentials', () => {
  it('reads what it documents', () => {
    const previous = [{ api_secret: 'old', until: rotated_at }];
    const { jwt_secret, apps } = parse({
      serial: 0,
      jwt_secret: 'j'.repeat(32),
      apps: { shop: { ...shop, previous } },
    });
    expect(jwt_secret).toBe('j'.repeat(32));
    expect([...apps]).toEqual([['shop', { ...shop, previous }]]);
    expect(parse({}).apps.size).toBe(0);
  });

  it.each([
    [[], 'the content is not an object'],
    [null, 'the content is not an object'],
    [
      { aps: {} },
      'the content holds an unknown field "aps"; it may hold serial, jwt_secret, former_jwt_secrets, smtp_password, providers, recipients, apps',
    ],
    [{ apps: [] }, 'apps is not an object'],
    [{ apps: { shop: 'x' } }, 'apps.shop is not an object'],
    [{ apps: { shop: { rotated_at } } }, 'apps.shop.api_secret is not text'],
    [{ apps: { shop: { ...shop, api_secret: '' } } }, 'apps.shop.api_secret is empty'],
    [
      { apps: { shop: { ...shop, api_secret: 'x'.repeat(1025) } } },
      'apps.shop.api_secret has 1025 bytes, at most 1024 are allowed',
    ],
    [
      { apps: { shop: { ...shop, api_secret: '\ud800' } } },
      'apps.shop.api_secret is not well-formed Unicode',
    ],
    [
      { apps: { shop: { ...shop, rotated_at: '2026-01-02' } } },
      'apps.shop.rotated_at is not a timestamp of the form YYYY-MM-DDTHH:MM:SS.mmmZ',
    ],
    [
      { apps: { shop: { ...shop, rotated_at: 7 } } },
      'apps.shop.rotated_at is not a timestamp of the form YYYY-MM-DDTHH:MM:SS.mmmZ',
    ],
    [{ apps: { shop: { ...shop, public_key: 'x' } } }, 'apps.shop holds a secret and a public key'],
    [
      { apps: { shop: { rotated_at, public_key: 'x' } } },
      'apps.shop.public_key is not an Ed25519 public key (SPKI in base64)',
    ],
    [
      { apps: { shop: { rotated_at, public_key: 7 } } },
      'apps.shop.public_key is not an Ed25519 public key (SPKI in base64)',
    ],
    [{ apps: { shop: { ...shop, previous: {} } } }, 'apps.shop.previous is not an array'],
    [{ apps: { shop: { ...shop, previous: [1] } } }, 'apps.shop.previous[0] is not an object'],
    [
      { apps: { shop: { ...shop, previous: [{ api_secret: 'x', until: '2026-02-30T00:00:00.000Z' }] } } },
      'apps.shop.previous[0].until is not a timestamp of the form YYYY-MM-DDTHH:MM:SS.mmmZ',
    ],
    [{ jwt_secret: 'é'.repeat(15) }, 'jwt_secret has 30 bytes, at least 32 are needed'],
    [{ jwt_secret: null }, 'jwt_secret is not text'],
    [{ former_jwt_secrets: [] }, 'former_jwt_secrets is not an array of at least one'],
    [{ former_jwt_secrets: 'x' }, 'former_jwt_secrets is not an array of at least one'],
    [{ recipients: ['age'] }, 'recipients[0] is not an age recipient'],
    [{ smtp_password: '' }, 'smtp_password is empty'],
    [{ providers: { corp: { client_secret: 7 } } }, 'providers.corp.client_secret is not text'],
    [{ serial: -1 }, 'serial is not a whole number from 0 on'],
    [{ serial: 1.5 }, 'serial is not a whole number from 0 on'],
    [{ serial: 2 ** 53 }, 'serial is not a whole number from 0 on'],
    [{ serial: '3' }, 'serial is not a whole number from 0 on'],
    [{ serial: null }, 'serial is not a whole number from 0 on'],
    [
      { apps: { ['x'.repeat(90)]: shop } },
      `"${'x'.repeat(80)}…" is not an app_id: 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit`,
    ],
    [
      { apps: { 'a\nb': shop } },
      '"a\\nb" is not an app_id: 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit',
    ],
  ])('credentials refuse the content %j', (content, message) => {
    expect(() => parse(content)).toThrow(expect.objectContaining({ name: 'VaultError', message }));
  });

  it('refuses __proto__ as an app_id and as a field', () => {
    const entry = JSON.stringify(shop);
    expect(() => parseCredentials(`{"apps":{"__proto__":${entry}}}`)).toThrow('"__proto__" is not an app_id');
    expect(() => parseCredentials(`{"__proto__":{"apps":{}}}`)).toThrow('unknown field "__proto__"');
    expect(() => parseCredentials(`{"apps":{"shop":{"__proto__":${entry}}}}`)).toThrow('unknown field');
  });

  it('names the place of a syntax error and never quotes the content', () => {
    const texts = [
      `{"jwt_secret": "${'SECRET'.repeat(8)}" "apps": {}}`,
      `{"jwt_secret": SECRET}`,
      `"SECRET`,
      `{\n  "apps": {},\n}`,
    ];
    for (const text of texts) {
      let message = '';
      try {
        parseCredentials(text);
      } catch (error) {
        message = String(error);
      }
      expect(message).toMatch(/^VaultError: the content is not valid JSON/);
      expect(message).not.toContain('SECRET');
    }
    expect(() => parseCredentials('{\n  "apps": {},\n}')).toThrow('not valid JSON at line 3, column 1');
  });

  it('survives any JSON with one line that is a VaultError', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          parseCredentials(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'VaultError' });
          expect(String(error)).not.toContain('\n');
        }
      }),
    );
  });

  it('reads back what formatCredentials writes', () => {
    const appId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    const text = fc.string({ minLength: 1, maxLength: 80, unit: 'binary' });
    const time = fc
      .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
      .map((date) => date.toISOString());
    const application = fc.record(
      {
        api_secret: text,
        rotated_at: time,
        previous: fc.array(fc.record({ api_secret: text, until: time }, { noNullPrototype: true })),
      },
      { requiredKeys: ['api_secret', 'rotated_at'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(appId, application)), (entries) => {
        const credentials = { serial: entries.length, jwt_secret: 'j'.repeat(32), apps: new Map(entries) };
        expect(parseCredentials(formatCredentials(credentials))).toEqual(credentials);
      }),
    );
  });
});

describe('isAppId', () => {
  it.each(['shop', '0', 'a'.repeat(64), 'A-1_b.c', 'constructor'])('an app_id may be %s', (text) => {
    expect(isAppId(text)).toBe(true);
  });
  it.each(['', '.a', '-a', '_a', 'a'.repeat(65), 'a b', 'a\n', 'é', 'ａ', '__proto__', 'a/b', 'a:b'])(
    'an app_id may not be %j',
    (text) => {
      expect(isAppId(text)).toBe(false);
    },
  );
});
