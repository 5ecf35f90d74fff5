import { describe, expect, it } from 'vitest';
import { type Entry, Ledger } from './ledger.ts';

const ledgerOf = (entries: Readonly<Record<string, Partial<Entry>>>): Ledger => {
  const ledger = new Ledger();
  for (const [mark, entry] of Object.entries(entries))
    ledger.entries.set(mark, {
      created: 'acknowledged',
      value: 1,
      maybe: new Set(),
      removed: undefined,
      ...entry,
    });
  return ledger;
};

const nothing = { lost: [], unasked: [], twice: [] };

describe('the ledger of a siege', () => {
  it('finds nothing where everything is as it was acknowledged', () => {
    const ledger = ledgerOf({
      kept: {},
      removed: { removed: 'acknowledged' },
      refused: { created: 'refused' },
    });
    expect(ledger.compare([{ mark: 'kept', value: 1 }])).toEqual(nothing);
  });

  it('finds what was acknowledged and is gone, or has another value', () => {
    const ledger = ledgerOf({ gone: {}, old: { value: 2 }, notRemoved: { removed: 'refused' } });
    expect(ledger.compare([{ mark: 'old', value: 1 }]).lost).toEqual([
      'gone: gone',
      'old: 1 instead of 2',
      'notRemoved: gone',
    ]);
  });

  it('finds what was refused and is there, what was removed and is there, and what no writer wrote', () => {
    const ledger = ledgerOf({ refused: { created: 'refused' }, removed: { removed: 'acknowledged' } });
    const stored = ['refused', 'removed', 'foreign'].map((mark) => ({ mark, value: 1 }));
    expect([...ledger.compare(stored).unasked].sort()).toEqual(['foreign', 'refused', 'removed']);
  });

  it('finds what is there twice', () => {
    const twice = { mark: 'a', value: 1 };
    expect(ledgerOf({ a: {} }).compare([twice, twice]).twice).toEqual(['a']);
  });

  it('accepts either state where the outcome is unknown', () => {
    const ledger = ledgerOf({
      created: { created: 'unknown' },
      removed: { removed: 'unknown' },
      updated: { maybe: new Set([7]) },
    });
    expect(ledger.compare([{ mark: 'updated', value: 7 }])).toEqual(nothing);
    const all = ['created', 'removed', 'updated'].map((mark) => ({ mark, value: 1 }));
    expect(ledger.compare(all)).toEqual(nothing);
  });
});
