import { describe, expect, it } from 'vitest';
import { thingSource } from '../../tests/support/things.ts';
import { SourceViews } from './view.ts';

describe('views of a source', () => {
  it('a view does not take an array that was changed for what it was', () => {
    const views = new SourceViews(thingSource);
    const names = ['id', 'title', 'secret'];
    expect(views.of({ readable: names, mask: undefined }).view.fields).toEqual(['id', 'title', 'secret']);
    names.pop();
    expect(views.of({ readable: names, mask: undefined }).view.fields).toEqual(['id', 'title']);
  });

  it('views of a source are one for the same names, frozen or not, and have a number each', () => {
    const views = new SourceViews(thingSource);
    const frozen = Object.freeze(['id', 'title']);
    const all = [frozen, frozen, ['id', 'title'], ['id'], ['title', 'id']].map((readable) =>
      views.of({ readable, mask: undefined }),
    );
    expect(all.map(({ id }) => id)).toEqual([0, 0, 0, 1, 2]);
    expect(all[1]).toBe(all[2]);
  });

  it('views are refused of a source without its key, and of columns that it does not have', () => {
    expect(() => new SourceViews({ ...thingSource, key: 'nothing' })).toThrow('nothing');
    expect(() => new SourceViews(thingSource).of({ readable: ['id', 'nothing'], mask: undefined })).toThrow(
      'source things has no column nothing',
    );
  });
});
