import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referenceFiles } from '../../scripts/reference-pages.ts';
import { root } from '../tour/service.ts';

describe('docs/reference', async () => {
  it.each([...(await referenceFiles())])('%s is as npm run reference writes it', async (name, text) => {
    expect(await readFile(join(root, 'docs/reference', name), 'utf8')).toBe(text);
  });
});
