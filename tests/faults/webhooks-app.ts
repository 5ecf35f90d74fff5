import { createApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

const fields = { title: field.string({ required: true, max: 100 }) };

/** An application with one model that tells of events. */
export const application = createApplication({
  resources: [defineResource('Order', { fields, events: true })],
  migrations: {
    '0001_orders': { up: (db, dialect) => createTable(db, dialect, 'orders', { fields }) },
  },
});

/** Short ones, so that what a killed process held is soon somebody else's. */
export const times = {
  jobTimes: { lease: 1_500, poll: 100 },
  webhookTimes: { leaseMs: 1_500, poll: 100, timeout: 1_000, rest: 50 },
} as const;
