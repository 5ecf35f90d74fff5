import { describe, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import type { CreateOf, DetailOf, FilterOf, RecordOf, SortOf } from '../../src/model/types.ts';

const fields = { title: field.string({ required: true }), made: field.string({ generated: true }) };
const bare = defineResource('Bare', { fields, table: { external: true } });
const dated = defineResource('Dated', {
  fields,
  table: { external: true, columns: { created_at: 'born', title: 'Title' } },
});
const own = defineResource('Own', {
  fields: { title: field.string() },
  table: { name: 'x', columns: { title: 'Title' } },
});
const usual = defineResource('Usual', { fields: { title: field.string() } });

describe('types of external tables', () => {
  it('a record has the times that its table has', () => {
    expectTypeOf<RecordOf<typeof bare>>().toEqualTypeOf<{ id: number; title: string; made: string | null }>();
    expectTypeOf<keyof RecordOf<typeof dated>>().toEqualTypeOf<'id' | 'title' | 'made' | 'created_at'>();
    expectTypeOf<keyof DetailOf<typeof bare>>().toEqualTypeOf<'id' | 'title' | 'made'>();
    expectTypeOf<keyof FilterOf<typeof dated>>().toEqualTypeOf<'id' | 'title' | 'made' | 'created_at'>();
    expectTypeOf<'created_at'>().not.toExtend<SortOf<typeof bare>>();
    for (const _ of [own, usual])
      expectTypeOf<keyof RecordOf<typeof _>>().toEqualTypeOf<'id' | 'title' | 'created_at' | 'updated_at'>();
  });

  it('hooks have records with the times that the table has', () => {
    defineResource('Hooked', {
      fields,
      table: { external: true, columns: { updated_at: 'touched' } },
      hooks: {
        beforeSave: ({ before }) => {
          expectTypeOf<keyof NonNullable<typeof before>>().toEqualTypeOf<
            'id' | 'title' | 'made' | 'updated_at'
          >();
        },
        beforeCommit: ({ after, addError }) => {
          expectTypeOf<keyof NonNullable<typeof after>>().toEqualTypeOf<
            'id' | 'title' | 'made' | 'updated_at'
          >();
          expectTypeOf(addError)
            .parameter(0)
            .toEqualTypeOf<'id' | 'title' | 'made' | 'updated_at' | undefined>();
        },
        afterCommit: ({ record }) => {
          expectTypeOf<keyof typeof record>().toEqualTypeOf<'id' | 'title' | 'made' | 'updated_at'>();
        },
      },
    });
    defineResource('Kept', {
      fields: { title: field.string() },
      hooks: {
        afterCommit: ({ record }) => {
          expectTypeOf<keyof typeof record>().toEqualTypeOf<'id' | 'title' | 'created_at' | 'updated_at'>();
        },
      },
    });
  });

  it('a body has no value that the database provides', () => {
    expectTypeOf<CreateOf<typeof bare>>().toEqualTypeOf<{ title: string }>();
  });
});
