import { expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import { own } from '../model/row-rule.ts';
import { maskOf } from '../policy/decide.ts';
import { testUser } from '../policy/test-user.ts';
import { resourceSource, seenSource } from './view.ts';

const models = collectModels([
  defineResource('Ticket', {
    fields: {
      title: field.string({ required: true, index: true }),
      note: field.string({ required: true, index: true }),
      user_id: field.owner(),
    },
    views: { when: [[own(), ['note']]] },
  }),
]);

it('a field that depends on the record has no index and may be null, for those who do not see it in every record', () => {
  const model = models.get('Ticket');
  if (model === undefined) throw new Error('Ticket');
  const source = resourceSource(model, models);
  const facts = (role: string) => {
    const seen = seenSource(source, maskOf(model, testUser([role])));
    return ['title', 'note'].map((name) => [
      seen.indexed.has(name),
      seen.columns.get(name)?.options.required === true,
    ]);
  };
  expect(facts('admin')).toEqual([
    [true, true],
    [true, true],
  ]);
  expect(facts('viewer')).toEqual([
    [true, true],
    [false, false],
  ]);
});
