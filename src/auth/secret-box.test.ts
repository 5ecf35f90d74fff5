import { describe, expect, it } from 'vitest';
import { createSecretBox } from './secret-box.ts';

describe('a secret box', () => {
  const box = createSecretBox('a'.repeat(32), 'webhook secrets');

  it('gives back what was sealed, and shows nothing of it', () => {
    const sealed = box.seal('whsec_abc');
    expect(box.open(sealed)).toBe('whsec_abc');
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('whsec');
    expect(box.seal('whsec_abc')).not.toBe(sealed);
  });

  it('opens nothing under another secret, for another purpose, or that was changed', () => {
    const sealed = box.seal('whsec_abc');
    expect(createSecretBox('b'.repeat(32), 'webhook secrets').open(sealed)).toBeUndefined();
    expect(createSecretBox('a'.repeat(32), 'another').open(sealed)).toBeUndefined();
    const bytes = Buffer.from(sealed, 'base64');
    for (const index of [0, 14, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(box.open(changed.toString('base64'))).toBeUndefined();
    }
    expect(box.open('')).toBeUndefined();
    expect(box.open(bytes.subarray(0, 20).toString('base64'))).toBeUndefined();
  });

  it('seals under a replaced secret, and opens with former ones', () => {
    const [before, after] = [
      createSecretBox('a'.repeat(32), 'test'),
      createSecretBox('b'.repeat(32), 'test'),
    ];
    const sealed = before.seal('whsec_abc');
    before.replaceSecrets('b'.repeat(32), ['a'.repeat(32)]);
    expect(before.open(sealed)).toBe('whsec_abc');
    expect(after.open(before.renew(sealed) ?? '')).toBe('whsec_abc');
    before.replaceSecrets('b'.repeat(32), []);
    expect(before.open(sealed)).toBeUndefined();
  });
});
