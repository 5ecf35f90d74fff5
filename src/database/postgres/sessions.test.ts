import { expect, it } from 'vitest';
import { firstTableOf } from './sessions.ts';

it.each([
  ['select * from users where id = $1', 'users'],
  ['update "gatewright_jobs" set state = $1', 'gatewright_jobs'],
  ['insert into "gatewright"."jobs" (name) values ($1)', 'jobs'],
  ['select 1 from "gatewright"."users" u join "gatewright"."roles" r on true', 'users'],
  ['delete from public.notes where id = $1', 'notes'],
  ['select 1', ''],
])('%s is about the table "%s"', (sql, table) => {
  expect(firstTableOf(sql)).toBe(table);
});
