import { describe, expect, it } from 'vitest';
import { maskedStatement } from './masked-statement.ts';

describe('the text of a statement for the log', () => {
  it.each([
    ['select "a" from "t" where "a" = $1 limit $2', 'select "a" from "t" where "a" = $1 limit $2'],
    ["select 'it''s' as x, 12, 1.5e3, 0xff, t2.c3", 'select ? as x, ?, ?, ?, t2.c3'],
    ['select "it\'s"  from\n  "say ""no"" 12"', 'select "it\'s" from "say ""no"" 12"'],
    ["select E'a\\'b', 'c\\', 'd'", 'select ?, ?, ?'],
    ["select $$a'b$$, $tag$secret$tag$ , $1", 'select ?, ? , $1'],
    ["select 1 -- secret's\n, /* secret */ ?2", 'select ? , ?2'],
    ["insert into t values ('secret', 'cut off", 'insert into t values (?, ?'],
  ])('masks the values of %j', (sql, text) => {
    expect(maskedStatement(sql)).toBe(text);
  });

  it('the text of a statement for the log is bounded, and takes a time that grows with the length only', () => {
    const sql = `select ${"'a".repeat(100_000)}${'"'.repeat(50_000)}${'$'.repeat(50_000)}`;
    const start = performance.now();
    expect(maskedStatement(sql).length).toBeLessThan(4_100);
    expect(maskedStatement(`select ${'"a", '.repeat(5_000)}`)).toMatch(/^select ("a", )+.*…$/);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
