import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, useService } from '../../support/service.ts';
import { migrations, resources } from './market.ts';

interface Relation {
  readonly name: string;
  readonly model: string;
  readonly many: boolean;
  readonly fields: readonly {
    readonly name: string;
    readonly operators: readonly string[];
    readonly sortable: boolean;
  }[];
}

const memoFields = { text: field.text(), folder: field.reference('Folder') };
const folderFields = { name: field.string({ max: 20 }) };
/** Only an administrator reads to which folder a memo belongs. */
const memo = defineResource('Memo', {
  fields: memoFields,
  views: { list: ['id', 'text'], detail: ['id', 'text'], saved: ['id', 'text'] },
});
const folder = defineResource('Folder', { fields: folderFields, relations: { memos: many('Memo') } });
const models = [...resources, memo, folder];
const tables: Migrations = {
  ...migrations,
  '0002_memos': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'folders', { fields: folderFields });
      await createTable(db, dialect, 'memos', { fields: memoFields, references: { folder: 'folders' } });
    },
  },
};

describeEachDatabase('metadata of relations', (databases) => {
  const service = useService(databases, { application: { resources: models, migrations: tables } });

  const relationsOf = async (model: string, caller: RequestOptions, base = '/api/v1/meta') => {
    const path = `${base}/${model}?lang=en`;
    const { relations } = await service.ok<{ readonly relations: readonly Relation[] }>('GET', path, caller);
    return relations;
  };
  const brief = (relations: readonly Relation[]) =>
    relations.map(({ fields, ...rest }) => ({ ...rest, fields: fields.map(({ name }) => name) }));

  it('names what leads where, by which reference, and what is read there', async () => {
    const token = await service.createUser();
    const times = ['created_at', 'updated_at'];
    expect(brief(await relationsOf('Order', { token }))).toEqual([
      {
        ...{ name: 'customer', label: 'Customer', many: false, model: 'Customer', field: 'customer_id' },
        ...{ write: false, fields: ['id', 'name', 'country'] },
      },
      {
        ...{ name: 'parent', label: 'Parent', many: false, model: 'Order', field: 'parent_id' },
        ...{ write: false, fields: ['id', 'number', 'customer_id', 'parent_id', 'user_id', ...times] },
      },
      {
        ...{ name: 'user', label: 'User', many: false, model: 'User', field: 'user_id' },
        ...{ write: false, fields: expect.arrayContaining(['id', 'username', 'email']) },
      },
      {
        ...{ name: 'lines', label: 'Items', many: true, model: 'OrderLine', by: 'order_id', write: true },
        fields: ['id', 'order_id', 'product_id', 'quantity', 'created_at'],
      },
    ]);
    const relations = brief(await relationsOf('Product', { token }));
    expect(relations.find(({ name }) => name === 'tags')).toMatchObject({
      ...{ model: 'Tag', through: 'ProductTag', by: 'product_id', on: 'tag_id' },
    });
  });

  it('names no reference that the caller does not read', async () => {
    const token = await service.createUser();
    expect(await relationsOf('Memo', { token })).toEqual([]);
    const [memos] = brief(await relationsOf('Folder', { token }));
    expect(memos).toEqual({
      ...{ name: 'memos', label: 'Memos', many: true, model: 'Memo', write: false },
      fields: ['id', 'text'],
    });
    const administrator = { token: await service.admin() };
    const [all] = brief(await relationsOf('Folder', administrator, '/admin/meta'));
    expect(all).toMatchObject({ by: 'folder_id' });
    expect(brief(await relationsOf('Memo', administrator, '/admin/meta'))).toMatchObject([
      { name: 'folder', field: 'folder_id' },
    ]);
  });

  /** Every name that leads anywhere in some model, and every name of a field. */
  const names = new Set(
    models.flatMap(({ fields, saidRelations }) => [...fields.keys(), ...saidRelations.keys()]),
  );
  const relationNames = new Set([...names].map((name) => name.replace(/_id$/, '')));
  const fieldNames = [...names, 'username', 'email', 'roles', 'disabled'];

  /** Compares the metadata with the model's list for every name. */
  const compare = async (caller: RequestOptions, area: 'api' | 'admin') => {
    const [meta, lists] = area === 'api' ? ['/api/v1/meta', '/api/v1'] : ['/admin/meta', '/admin/records'];
    const answers = async (path: string, query: string): Promise<boolean> =>
      (await service.request('GET', `${lists}/${path}?per_page=1&${query}`, caller)).status === 200;
    let followed = 0;
    for (const { name: model, path } of models) {
      if (!(await answers(path, 'page=1'))) continue;
      const described = await relationsOf(model, caller, meta);
      const relations = [];
      for (const name of relationNames) if (await answers(path, `include=${name}`)) relations.push(name);
      expect(described.map(({ name }) => name).sort(), model).toEqual(relations.sort());
      for (const { name, fields } of described) {
        followed += 1;
        const compareField = async (each: string): Promise<void> => {
          const said = fields.find((one) => one.name === each);
          const at = `${model}.${name}.${each}`;
          expect(await answers(path, `filter[${at.slice(model.length + 1)}][null]=true`), at).toBe(
            said?.operators.includes('null') === true,
          );
          expect(await answers(path, `sort=${name}.${each}`), at).toBe(said?.sortable === true);
          expect(await answers(path, `include=${name}&fields[${name}]=${each}`), at).toBe(said !== undefined);
        };
        await Promise.all(fieldNames.map(compareField));
      }
    }
    return followed;
  };

  it('says what a viewer, a key, who holds a permission, and administrators may follow', async () => {
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'keeper' } } });
    await service.ok('PUT', '/admin/permissions/keeper/Vault/read', { token });
    const viewer = await service.createUser();
    const { key } = await service.createKey(viewer);
    const asViewer = await compare({ token: viewer }, 'api');
    const asKey = await compare({ key }, 'api');
    const asKeeper = await compare({ token: await service.createUser(['keeper']) }, 'api');
    const asAdministrator = await compare({ token }, 'admin');
    // Each sees another set: by a key no tags, without the permission no vaults.
    expect(asKey).toBeLessThan(asViewer);
    expect(asKeeper).toBeGreaterThan(asViewer);
    expect(asAdministrator).toBeGreaterThan(asKeeper);
  }, 120_000);
});
