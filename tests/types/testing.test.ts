import { expectTypeOf, it } from 'vitest';
import type { TestApplication, TestData } from '../../src/testing/testing.ts';

/** Never run: what is said here, the compiler holds. */
const uses = async ({ scope, as, user }: TestApplication) => {
  const { data } = await as('viewer').post('/api/v1/notes', { note: { title: 'Hello' } });
  const { records } = await scope(await user());
  // A value is passed on as what it is.
  await records('Note').update(data.id, { title: `${data.title}!` });
  const title: string = data.title;
  const line: TestData = data.lines[0];
  const whole: { readonly id: number } = data[0];
  // A list has the methods of one.
  const ids: readonly number[] = data.filter((each) => each.done).map((each) => each.id);
  for (const each of data) await records('Note').remove(each.id);
  return { title, line, whole, ids, count: data.length };
};

it('takes the values of an answer for what the test says', () => {
  expectTypeOf<Awaited<ReturnType<typeof uses>>['count']>().toEqualTypeOf<number>();
});
