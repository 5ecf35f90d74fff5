import { type Application, createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { many } from '../../src/model/relation.ts';
import { equals } from '../../src/model/row-rule.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';

/** Organisations that number their invoices, and receipts in one sequence. */

const organisationFields = { name: field.string({ required: true }) };
const invoiceFields = {
  organisation: field.reference('Organisation'),
  number: field.sequence({ per: 'organisation', format: 'INV-{year}-{n:5}' }),
  note: field.string({ max: 20 }),
  code: field.string({ unique: true }),
};
const receiptFields = { number: field.sequence(), invoice: field.reference('Invoice') };

export const organisation = defineResource('Organisation', {
  fields: organisationFields,
  relations: { invoices: many('Invoice', { by: 'organisation', write: true }) },
});

export const invoice = defineResource('Invoice', {
  fields: invoiceFields,
  trash: true,
  history: true,
  events: true,
  isolation: { read: 'everyone', write: equals('note', 'mine') },
  hooks: {
    beforeSave: ({ values }) => {
      // No hook sets a number.
      Object.assign(values, { number: 'INV-1' });
      // The rule refuses it when it is inserted, after its number was taken.
      if (values.code === 'turned') values.note = 'not mine';
    },
    beforeCommit: ({ after, addError }) => {
      if (after?.code === 'refused') addError('code', `Not for ${after.number}`);
    },
  },
});

export const receipt = defineResource('Receipt', { fields: receiptFields });

const migrations: Migrations = {
  '0001_invoices': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'organisations', { fields: organisationFields });
      await createTable(db, dialect, 'invoices', { fields: invoiceFields, unique: invoice.unique });
      await createTable(db, dialect, 'receipts', {
        fields: { ...receiptFields, number: field.sequence({ unique: true }) },
      });
    },
  },
};

/** Creates an invoice after one that is refused, which it passes over. */
const passOver = defineEndpoint({
  method: 'POST',
  path: '/pass_over',
  input: { code: field.string({ required: true }) },
  auth: ['jwt'],
  handle: ({ transaction, values }) =>
    transaction(async ({ records }) => {
      const invoices = records(invoice);
      await invoices.create({ note: 'mine', code: values.code }).catch(() => {});
      const { number } = await invoices.create({ note: 'mine' });
      return { number };
    }),
});

export const invoicesApplication = (): Application =>
  createApplication({
    resources: [organisation, invoice, receipt],
    migrations,
    endpoints: [passOver],
  });
