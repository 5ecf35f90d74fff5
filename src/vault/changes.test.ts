import { describe, expect, it } from 'vitest';
import { addApplication, isInGrace, newSecret, removeApplication, rotateAppKey } from './changes.ts';
import { noCredentials } from './credentials.ts';

const now = Date.parse('2026-05-01T00:00:00.000Z');
const hour = 3_600_000;

describe('applications', () => {
  it('applications are added once', () => {
    const one = addApplication(noCredentials, 'shop', { api_secret: 's1' }, now);
    expect([...one.apps]).toEqual([['shop', { api_secret: 's1', rotated_at: '2026-05-01T00:00:00.000Z' }]]);
    expect(noCredentials.apps.size).toBe(0);
    expect(() => addApplication(one, 'shop', { api_secret: 's2' }, now)).toThrow(
      'the application shop exists already',
    );
    expect(() => addApplication(one, '../x', { api_secret: 's2' }, now)).toThrow('is not an app_id');
  });

  it('applications are removed, others and the JWT secret stay', () => {
    const one = addApplication({ ...noCredentials, jwt_secret: 'j' }, 'a', { api_secret: 's1' }, now);
    const two = addApplication(one, 'b', { api_secret: 's2' }, now);
    const left = removeApplication(two, 'a');
    expect([...left.apps.keys()]).toEqual(['b']);
    expect(left.jwt_secret).toBe('j');
    expect(() => removeApplication(left, 'a')).toThrow('there is no application "a"');
    expect(() => removeApplication(left, 'toString')).toThrow('there is no application "toString"');
  });

  it('applications keep replaced secrets for the grace and drop those whose grace has ended', () => {
    const first = addApplication(noCredentials, 'shop', { api_secret: 's1' }, now);
    const second = rotateAppKey(first, 'shop', { api_secret: 's2' }, now, hour);
    const third = rotateAppKey(second, 'shop', { api_secret: 's3' }, now + 1, 2 * hour);
    expect(third.apps.get('shop')).toEqual({
      api_secret: 's3',
      rotated_at: '2026-05-01T00:00:00.001Z',
      previous: [
        { api_secret: 's2', until: '2026-05-01T02:00:00.001Z' },
        { api_secret: 's1', until: '2026-05-01T01:00:00.000Z' },
      ],
    });
    const fourth = rotateAppKey(third, 'shop', { api_secret: 's4' }, now + hour, hour);
    expect(fourth.apps.get('shop')?.previous?.map((one) => 'api_secret' in one && one.api_secret)).toEqual([
      's3',
      's2',
    ]);
  });

  it('applications have one secret only after a rotation without grace', () => {
    const first = addApplication(noCredentials, 'shop', { api_secret: 's1' }, now);
    const graced = rotateAppKey(first, 'shop', { api_secret: 's2' }, now, hour);
    expect(rotateAppKey(graced, 'shop', { api_secret: 's3' }, now, 0).apps.get('shop')).toEqual({
      api_secret: 's3',
      rotated_at: '2026-05-01T00:00:00.000Z',
    });
    expect(() => rotateAppKey(first, 'stall', { api_secret: 's2' }, now, 0)).toThrow(
      'there is no application "stall"',
    );
  });
});

describe('isInGrace', () => {
  it('ends at the very millisecond, and never begins for a broken time', () => {
    const previous = { api_secret: 'x', until: '2026-05-01T00:00:00.000Z' };
    expect(isInGrace(previous, now - 1)).toBe(true);
    expect(isInGrace(previous, now)).toBe(false);
    expect(isInGrace({ ...previous, until: 'never' }, 0)).toBe(false);
  });
});

describe('newSecret', () => {
  it('newSecret is 32 bytes of hex, another one every time', () => {
    const secrets = new Set(Array.from({ length: 100 }, newSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/);
  });
});
