import { describe, expect, it } from 'vitest';
import { Chain, type Link } from './chain.ts';

class Thing implements Link<Thing> {
  older: Thing | undefined;
  newer: Thing | undefined;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const namesIn = (chain: Chain<Thing>): string => [...chain].map(({ name }) => name).join('');

const filled = () => {
  const chain = new Chain<Thing>();
  const things = [...'abcd'].map((name) => new Thing(name));
  for (const thing of things) chain.add(thing);
  return { chain, things };
};

describe('a chain', () => {
  it.each([
    ['a', 'bcd'],
    ['b', 'acd'],
    ['d', 'abc'],
    ['abcd', ''],
    ['dcb', 'a'],
    ['cab', 'd'],
  ])('without %s is %j, in the order in which they came', (leaving, left) => {
    const { chain, things } = filled();
    for (const name of leaving) {
      const thing = things.find((each) => each.name === name);
      expect(thing && chain.remove(thing)).toBe(true);
      // Nothing of it is held by what has left.
      expect([thing?.older, thing?.newer]).toEqual([undefined, undefined]);
    }
    chain.add(new Thing('e'));
    expect([namesIn(chain), chain.size, chain.oldest?.name]).toEqual([
      `${left}e`,
      left.length + 1,
      `${left}e`[0],
    ]);
  });

  it('is left once', () => {
    const { chain, things } = filled();
    for (const thing of things.slice(0, 2)) chain.remove(thing);
    for (const thing of things.slice(0, 2)) expect(chain.remove(thing)).toBe(false);
    expect([namesIn(chain), chain.size]).toEqual(['cd', 2]);
  });

  it('may be left by the one that is looked at', () => {
    const { chain } = filled();
    const seen: string[] = [];
    for (const thing of chain) {
      seen.push(thing.name);
      if (thing.name !== 'c') chain.remove(thing);
    }
    expect([seen.join(''), namesIn(chain)]).toEqual(['abcd', 'c']);
  });
});
