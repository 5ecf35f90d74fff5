import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/databases.ts';
import { type TestUser, useService } from '../../support/service.ts';
import { migrations, resources } from './purchases.ts';

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items: Schema;
  readonly maxItems?: number;
  readonly required?: readonly string[];
}

interface Metadata {
  readonly schemas: { readonly create: Schema; readonly update: Schema };
  readonly uiSchema: Readonly<Record<string, { readonly items?: Record<string, unknown> }>>;
}

const names = (schema: Schema | undefined): readonly string[] => Object.keys(schema?.properties ?? {});

describeEachDatabase('schemas of records within a body', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });
  const meta = async (options: object, path = '/api/v1/meta/Purchase') =>
    (await service.request<Metadata>('GET', `${path}?language=en`, options)).data;

  it('schemas of records within a body hold what their caller may write, without the reference to the record', async () => {
    const ann: TestUser = await service.createUser();
    const { schemas, uiSchema } = await meta({ token: ann });
    expect(names(schemas.create)).toEqual(['number', 'total', 'items']);
    const { items } = schemas.create.properties;
    expect(items?.maxItems).toBe(200);
    expect(names(items?.items)).toEqual(['article_id', 'quantity', 'code', 'parts']);
    expect(items?.items.required).toEqual(['quantity']);
    const changed = schemas.update.properties['items']?.items;
    expect(names(changed)).toEqual(['id', 'article_id', 'quantity', 'code', 'parts', '_delete']);
    expect(changed?.required).toBeUndefined();
    expect(uiSchema['ui:order']).toEqual(['number', 'total', 'items']);
    expect(uiSchema['items']?.items).toMatchObject({
      id: { 'ui:widget': 'hidden' },
      'ui:order': ['id', 'article_id', 'quantity', 'code', 'parts', '_delete'],
    });
    // Three levels: parts, and the parts within these.
    const children = changed?.properties['parts']?.items.properties['children']?.items;
    expect(names(children)).toEqual(['id', 'item_id', 'name', '_delete']);
  });

  it('schemas of records within a body are those of the method of authentication, of the permission, and of the area', async () => {
    const ann = await service.createUser();
    const { key } = await service.createKey(ann);
    const byKey = (await meta({ key })).schemas.update.properties['items']?.items;
    // A key does not delete items, and does not write parts.
    expect(names(byKey)).toEqual(['id', 'article_id', 'quantity', 'code']);
    const token = await service.admin();
    await service.ok('POST', '/admin/roles', { token, body: { role: { name: 'cleaner' } } });
    await service.ok('PUT', '/admin/permissions/cleaner/Remark/destroy', { token });
    const cleaner = (await meta({ token: await service.createUser(['cleaner']) })).schemas;
    expect(names(cleaner.create)).not.toContain('remarks');
    expect(names(cleaner.update.properties['remarks']?.items)).toEqual(['id', '_delete']);
    const inArea = (await meta({ token }, '/admin/meta/Purchase')).schemas.create;
    expect(names(inArea)).toEqual(['number', 'total', 'rebate', 'user_id', 'items', 'remarks']);
    expect(names(inArea.properties['items']?.items)).toContain('granted');
  });

  it('schemas of records within a body accept in the API description what the service accepts', async () => {
    const { json } = await service.request('GET', '/api-docs/openapi.json');
    const { components } = json as unknown as { components: { schemas: Record<string, object> } };
    const schema = { components, $ref: '#/components/schemas/PurchaseUpdate' };
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const body = (items: unknown) => accepts({ items });
    expect(body([{ quantity: 1 }, { id: 3, quantity: 2 }, { id: 4, _delete: true }])).toBe(true);
    for (const wrong of [null, {}, [7], [{ id: 'x' }], [{ id: 4, _delete: 'yes' }], Array(201).fill({})])
      expect(body(wrong), JSON.stringify(wrong)).toBe(false);
  });
});
