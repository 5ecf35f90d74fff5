import { describe, expect, it } from 'vitest';
import order from '../../examples/newsroom/resources/order.ts';
import { createApplication } from '../../src/app/application.ts';
import { defineJob } from '../../src/delivery/jobs/define-job.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { answer } from '../../src/resources/application/answer.ts';
import { testApplication } from '../../src/testing/testing.ts';
import { newsroom } from '../client/applications.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

/**
 * Options of an application's code, in files that may be JavaScript: a misspelt one is named with the nearest.
 * Definitions in files are in `src/app/application.test.ts`, commands in `src/cli/main.test.ts`.
 */

/** Options with a misspelt name. */
const misspelt = (options: object): never => options as never;

describe('a misspelt option names the nearest', () => {
  it.each<[string, () => unknown, string]>([
    ['of a problem', () => defineProblem(misspelt({ status: 409, numbr: 50, message: 'No' })), 'number'],
    ['of an answer', () => answer(misspelt({ boddy: '' })), 'body'],
    ['of a job', () => defineJob(misspelt({ evry: '@daily', handle: () => {} })), 'every'],
  ])('a misspelt option %s names the nearest', (_, define, near) => {
    expect(define).toThrow(`the nearest is "${near}"`);
  });

  it('a text of a problem under the name of no language is refused', () => {
    const message = { en: 'No', zh_CN: '' };
    expect(() => defineProblem(misspelt({ status: 409, number: 50, message }))).toThrow(
      'there is no option "message.zh_CN": a text per language is named by language',
    );
  });

  it('a misspelt option of an application under test, or of its users, names the nearest', async () => {
    await expect(testApplication(misspelt({ aplication: '.' }))).rejects.toThrow(
      'testApplication: there is no option "aplication": the nearest is "application"',
    );
    await using app = await testApplication({ application: createApplication({}) });
    await expect(app.user(misspelt({ role: ['admin'] }))).rejects.toThrow(
      'user: there is no option "role": the nearest is "roles"',
    );
  });
});

describeDatabase('sqlite', 'a misspelt option of a call', (databases) => {
  const job = defineJob({ handle: () => {} });
  const service = useService(databases, { application: { ...newsroom, jobs: { job } } });
  const scope = () => service.server.services.systemScope('a test');

  it.each<[string, (records: ReturnType<typeof orders>) => Promise<unknown>, string]>([
    [
      'list',
      (records) => records.list(misspelt({ filtr: { id: 1 } })),
      'list: there is no option "filtr": the nearest is "filter"',
    ],
    [
      'page',
      (records) => records.page(misspelt({ per_page: 1 })),
      'list: there is no option "per_page": the nearest is "perPage"',
    ],
    [
      'count',
      (records) => records.count(misspelt({ filters: {} })),
      'list: there is no option "filters": the nearest is "filter"',
    ],
    [
      'find',
      (records) => records.find(1, misspelt({ lok: true })),
      'find: there is no option "lok": the nearest is "lock"',
    ],
    [
      'get',
      (records) => records.get(1, misspelt({ Lock: true })),
      'find: there is no option "Lock": the nearest is "lock"',
    ],
    [
      'update',
      (records) => records.update(1, {}, misspelt({ verison: 1 })),
      'update: there is no option "verison": the nearest is "version"',
    ],
    ['remove', (records) => records.remove(1, misspelt({ etag: 1 })), 'remove: there is no option "etag"'],
  ])('a misspelt option of %s is refused', async (_, call, message) => {
    await expect(call(orders())).rejects.toThrow(message);
    await expect(scope().transaction(({ records }) => call(records(order)))).rejects.toThrow(TypeError);
  });

  it('a misspelt option of jobs.add is refused, and nothing is added', async () => {
    for (const options of [{ kye: 'once' }, { delay: 5 }])
      await expect(scope().jobs.add(job, {}, misspelt(options))).rejects.toThrow(TypeError);
    await expect(scope().jobs.add(job, {}, misspelt({ kye: 'once' }))).rejects.toThrow(
      'jobs.add: there is no option "kye": the nearest is "key"',
    );
    expect(await service.server.jobs.outbox.waiting()).toEqual([]);
    const key: string | undefined = undefined;
    await scope().jobs.add(job, {}, misspelt({ key }));
  });

  const orders = () => scope().records(order);
});
