import { expect, it } from 'vitest';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { equals, member } from '../../model/row-rule.ts';
import { decisiveTables } from './decisive-tables.ts';

const own = ['users', 'roles', 'user_roles', 'permissions'];
const fields = { title: field.string(), team: field.reference('Team') };

/** The decisive tables beside the service's own, of an application with this model. */
const beside = (ticket: ResourceModel) => {
  const models = collectModels([
    defineResource('Team', { fields: { name: field.string() } }),
    defineResource('Seat', { fields: { team: field.reference('Team'), user_id: field.owner() } }),
    ticket,
  ]);
  const tables = decisiveTables(models);
  expect(tables.slice(0, own.length)).toEqual(own);
  return tables.slice(own.length).toSorted();
};

it('decisive tables are those that rules for records and for single fields ask, and those to which they refer', () => {
  const inTeam = member('team_id', { of: 'Seat' });
  expect(beside(defineResource('Ticket', { fields }))).toEqual([]);
  expect(beside(defineResource('Ticket', { fields, isolation: inTeam }))).toEqual(['seats', 'teams']);
  const views = { when: [[inTeam, ['title']]] } as const;
  expect(beside(defineResource('Ticket', { fields, views }))).toEqual(['seats', 'teams']);
  const plain = { when: [[equals('title', 'x'), ['title']]] } as const;
  expect(beside(defineResource('Ticket', { fields, views: plain }))).toEqual([]);
});
