import { describe, expect, it } from 'vitest';
import { flag, nearest, type OptionTable } from './options.ts';

describe('the nearest known name', () => {
  it.each([
    ['permisions', 'permissions'],
    ['isolatoin', 'isolation'],
    ['ownershp', 'ownership'],
    ['lable', 'label'],
    ['beforesave', 'beforeSave'],
    ['publicread', 'publicRead'],
  ])('the nearest known name of %s is %s', (name, known) => {
    const names = ['label', 'plural', 'permissions', 'isolation', 'ownership', 'publicRead', 'beforeSave'];
    expect(nearest(name, names)).toBe(known);
  });

  it('the nearest known name is none where nothing is known', () => {
    expect(nearest('any', [])).toBeUndefined();
  });
});

describe('tables of options', () => {
  it('tables of options are held to the options by the compiler', () => {
    interface Options {
      readonly one?: boolean;
      readonly two?: boolean;
    }
    expect([
      { one: flag, two: flag } satisfies OptionTable<Options>,
      // @ts-expect-error: an option is forgotten
      { one: flag } satisfies OptionTable<Options>,
      // @ts-expect-error: there is no such option
      { one: flag, two: flag, three: flag } satisfies OptionTable<Options>,
    ]).toHaveLength(3);
  });
});
