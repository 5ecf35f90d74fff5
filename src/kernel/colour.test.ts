import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badgeColourFlaw, contrastOf, inkOn, pageGrounds } from './colour.ts';
import { packageFile } from './package-files.ts';

const colours = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colours of badges', () => {
  it('contrasts are those of WCAG', () => {
    expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrastOf('#123456', '#123456')).toBe(1);
  });

  it('the text on any colour has a contrast of 4.5 or more', () => {
    fc.assert(fc.property(colours, (colour) => contrastOf(colour, inkOn(colour)) >= 4.5));
  });

  it('a colour that is refused comes with one that is accepted', () => {
    fc.assert(
      fc.property(colours, (colour) => {
        const flaw = badgeColourFlaw(colour, 'colour');
        const suggested = /needed; (#[\da-f]{6}) has it$/.exec(flaw ?? '')?.[1];
        const seen = Object.values(pageGrounds).every((ground) => contrastOf(colour, ground) >= 3);
        return seen
          ? flaw === undefined
          : suggested !== undefined && badgeColourFlaw(suggested, 'colour') === undefined;
      }),
    );
  });

  it.each(['red', '#fff', '#12345g', '#1234567', 7, undefined, null])('%s is no colour', (value) => {
    expect(badgeColourFlaw(value, 'colour')).toBe('colour must be a colour in the form #b45309');
  });

  it('the grounds are those of the pages', () => {
    const tokens = readFileSync(packageFile('docs-page/tokens.css'), 'utf8');
    expect(tokens).toContain(`--page: light-dark(${pageGrounds.light}, ${pageGrounds.dark});`);
  });
});
