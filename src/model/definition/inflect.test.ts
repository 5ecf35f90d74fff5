import { describe, expect, it } from 'vitest';
import { pluralOf, singularOf } from './inflect.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Nouns as tables have them, in the singular. */
const nouns = words(`
  address alias analysis api batch box branch bus business cache camera campus canvas cause category census child
  church city class company country course cpu customer database day diagnosis disease echo employee entry exercise
  expense film genre glass hero house index inventory invoice key kpi language leaf lens license man menu movie movie
  option order order_line page person phase photo piece potato price process product purchase quiz quota response
  roof schedule search shelf shoe size sku source status status_code tax taxi thesis tie track universe use user video
  virus visa warehouse watch wife woman`);

describe('singulars of English plurals', () => {
  it.each(nouns)('%s is the singular of its plural', (noun) => {
    expect(singularOf(pluralOf(noun) ?? '')).toBe(noun);
  });

  it.each(words('status address news series species staff data lens analysis bus film order_line dns'))(
    '%s is no plural',
    (word) => expect(singularOf(word)).toBeUndefined(),
  );

  it('the last word of a compound changes', () => {
    expect(singularOf('blog_categories')).toBe('blog_category');
  });
});
