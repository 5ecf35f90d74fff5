import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';

describeEachDatabase('four processes that start at once on an empty database', (databases) => {
  it('all come up, and each step was applied once', async () => {
    const url = await databases.create();
    const children = Array.from({ length: 4 }, () => startChild('faults/children/migrate.ts', [url]));
    const outcomes = await Promise.all(
      children.map(async ({ lines, exited }) => {
        const { value } = await lines.next();
        return { code: await exited, answer: JSON.parse(value ?? 'null') };
      }),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(outcomes.map(({ answer }) => answer.rows)).toEqual([2, 2, 2, 2]);
    expect(outcomes.flatMap(({ answer }) => answer.applied).sort()).toEqual(['001', '001', '002']);
  });
});
