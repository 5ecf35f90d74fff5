import { describe, expect, it } from 'vitest';
import { acceptedVersions, entityTag, isKnown } from './preconditions.ts';

const asking = (headers: Readonly<Record<string, string | undefined>>) => ({
  header: (name: string) => headers[name],
});

it('an entity tag is version and view', () => {
  expect(entityTag(12, 'detail')).toBe('"12-detail"');
});

describe('If-Match', () => {
  it.each<readonly [string | undefined, readonly number[] | undefined]>([
    [undefined, undefined],
    ['*', undefined],
    ['  * ', undefined],
    ['"3-detail"', [3]],
    ['"3-detail", "12-saved"', [3, 12]],
    ['"3-detail","3-list"', [3]],
    ['', []],
    ['3-detail', []],
    // Weak tags never match strongly.
    ['W/"3-detail"', []],
    ['W/"3-detail", "4-detail"', [4]],
    ['"0-detail"', [0]],
    ['"03-detail"', []],
    ['"-3-detail"', []],
    ['"3"', []],
    ['"3-"', []],
    ['"3-Detail"', []],
    ['"3-detail2"', []],
    ['"x3-detail"', []],
    ['"3-detail x"', []],
    ['"1234567890123456-detail"', [1_234_567_890_123_456]],
    ['"12345678901234567-detail"', []],
    ['"a b", "3-detail"', [3]],
    ['"é", "3-detail"', [3]],
  ])('reads the versions of If-Match: %s', (header, versions) => {
    expect(acceptedVersions(asking({ 'if-match': header }))).toEqual(versions);
  });

  it('names 50 versions at most', () => {
    const header = Array.from({ length: 60 }, (_, index) => `"${index + 1}-detail"`).join(', ');
    const versions = acceptedVersions(asking({ 'if-match': header })) ?? [];
    expect([versions.length, versions.at(0), versions.at(-1)]).toEqual([50, 1, 50]);
  });
});

describe('If-None-Match', () => {
  it.each<readonly [string | undefined, boolean]>([
    [undefined, false],
    ['*', true],
    [' * ', true],
    ['"3-detail"', true],
    ['W/"3-detail"', true],
    ['"2-detail", W/"3-detail"', true],
    ['"3-detail", "2-detail"', true],
    ['"2-detail"', false],
    ['3-detail', false],
    ['"W/3-detail"', false],
    ['', false],
  ])('compares the versions of If-None-Match: %s', (header, known) => {
    expect(isKnown(asking({ 'if-none-match': header }), '"3-detail"')).toBe(known);
  });

  it('takes no mark of weakness out of the middle of a tag', () => {
    expect(isKnown(asking({ 'if-none-match': '"aW/"' }), '"a"')).toBe(false);
  });

  it('`*` accepts no version that is there', () => {
    expect(acceptedVersions(asking({ 'if-none-match': ' * ', 'if-match': '"3-detail"' }))).toEqual([]);
    expect(acceptedVersions(asking({ 'if-none-match': '"3-detail"' }))).toBeUndefined();
  });
});

describe('If-Match of a read', () => {
  it.each<readonly [string, boolean]>([
    ['*', true],
    ['"3-detail"', true],
    ['"2-detail", "3-detail"', true],
    ['W/"3-detail"', false],
    ['"2-detail"', false],
    ['"3-saved"', false],
    ['', false],
  ])('checks If-Match of a read: %s', (header, passes) => {
    const read = () => isKnown(asking({ 'if-match': header, 'if-none-match': '*' }), '"3-detail"');
    if (passes) expect(read()).toBe(true);
    else expect(read).toThrow(expect.objectContaining({ problem: 'stale' }));
  });
});
