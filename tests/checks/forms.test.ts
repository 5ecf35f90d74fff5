import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { forms, formsWithoutInput } from '../browser/admin-forms.ts';

const source = fileURLToPath(new URL('../../admin/src/', import.meta.url));

const textOf = (file: string): string => readFileSync(source + file, 'utf8');

const withForm = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .filter((file) => /component="form"|<form\b/.test(textOf(file)))
  .sort();

describe('forms of the administration pages', () => {
  it('each stands in the list that the browser goes through (tests/browser/admin-forms.ts)', () => {
    expect(withForm).toEqual([...Object.keys(forms), ...Object.keys(formsWithoutInput)].sort());
  });

  it.each(Object.keys(forms))('%s says whether it has input that is not saved (useUnsaved)', (file) => {
    expect(textOf(file)).toMatch(/\buseUnsaved\(/);
  });
});
