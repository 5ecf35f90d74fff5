import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { createApplication } from '../../src/app/application.ts';
import { clientFile, mark } from '../../src/cli/client-file.ts';
import { run } from '../../src/cli/test-io.ts';
import { resources as market } from '../contract/relations/market.ts';
import { resources as purchases } from '../contract/relations/purchases.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { newsroom } from './applications.ts';
import { thing } from './thing.ts';
import { createProject } from './typescript.ts';

const relationsFile = (name: string): string =>
  fileURLToPath(new URL(`../contract/relations/${name}.ts`, import.meta.url));
const thingFile = fileURLToPath(new URL('thing.ts', import.meta.url));

/** Holds the written types to the types that the models themselves give, in both directions. */
const comparison = `
import type { ResourceShape } from 'gatewright/client';
import type {
  CreateBodyOf, DetailOf, FilterOf, ListItemOf, RelationsOf, SavedOf, SortOf, UpdateBodyOf,
} from '#model';
import type { Resources } from './resources.ts';
import type { Models } from './models.ts';

type Known = Models[keyof Models];
interface Shape<Model> {
  listed: ListItemOf<Model>;
  record: DetailOf<Model>;
  saved: SavedOf<Model>;
  create: CreateBodyOf<Model, Known>;
  update: UpdateBodyOf<Model, Known>;
  filter: FilterOf<Model>;
  sort: SortOf<Model>;
  relations: RelationsOf<Model, 'list', Known>;
}
type Mutual<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;
type Compared = {
  [Path in keyof Resources]: {
    [Part in Exclude<keyof Required<ResourceShape> & keyof Resources[Path], 'events'>]: Mutual<Resources[Path][Part], Shape<Models[Path]>[Part]>;
  };
};
const part = { listed: true, record: true, saved: true, create: true, update: true, filter: true, sort: true } as const;
const related = { ...part, relations: true } as const;
`;

/** A file of models by their paths, each of a file of the tests. */
const modelsFile = (file: string, models: Readonly<Record<string, string>>): string => `
import type { ${Object.values(models).join(', ')} } from '${file}';
export interface Models {
${Object.entries(models)
  .map(([path, name]) => `  ${path}: typeof ${name};`)
  .join('\n')}
}`;

it('the written types are those of the models, for every type of field', async () => {
  // The model file's own side of the comparison runs in Node.
  const project = await createProject({ types: ['node'] });
  await project.write('resources.ts', clientFile(createApplication({ resources: [thing] })));
  await project.write('models.ts', modelsFile(thingFile, { things: 'thing' }));
  await project.write('comparison.ts', `${comparison}export const compared: Compared = { things: related };`);
  expect(await project.compile()).toBe('');
});

it.each([
  [
    'market',
    market,
    {
      customers: 'customer',
      products: 'product',
      orders: 'order',
      order_lines: 'orderLine',
      tags: 'tag',
      product_tags: 'productTag',
      vaults: 'vault',
    },
  ],
  [
    'purchases',
    purchases,
    {
      articles: 'article',
      purchases: 'purchase',
      items: 'item',
      parts: 'part',
      remarks: 'remark',
      holds: 'hold',
      folders: 'folder',
      sheets: 'sheet',
      seals: 'seal',
    },
  ],
])('the written relations of the %s are those of the models', async (name, resources, models) => {
  const project = await createProject({ types: ['node'], noUnusedLocals: true });
  await project.write('resources.ts', clientFile(createApplication({ resources })));
  await project.write('models.ts', modelsFile(relationsFile(name), models));
  const all = Object.keys(models).map((path) => `${path}: related`);
  await project.write(
    'comparison.ts',
    `${comparison}export const compared: Compared = { ${all.join(', ')} };\nexport { part };`,
  );
  expect(await project.compile()).toBe('');
});

it('the written file imports nothing and compiles with the client alone', async () => {
  const project = await createProject();
  const text = clientFile(createApplication(newsroom));
  expect(text).not.toMatch(/\bimport\b/);
  await project.write('resources.ts', text);
  await project.write(
    'use.ts',
    `import { createClient } from 'gatewright/client';
    import { resources, type Resources } from './resources.ts';
    const client = createClient({ baseUrl: '', resources });
    const page = await client.orders.list({ filter: { amount: { gte: 5 } }, sort: ['-created_at'], fields: ['number'] });
    const numbers: string[] = page.items.map((order) => order.number);
    const order: Resources['orders']['record'] = await client.orders.get(1);
    const note: string | null = order.internal_note;
    const groups = await client.orders.aggregate({ group: ['status', 'created_at:day'], sum: ['amount'], sort: '-sum_amount' });
    const sums: (string | number | null)[] = groups.items.map((group) => group.sum_amount);
    const days: string[] = groups.items.map((group) => group.created_at_day);
    // @ts-expect-error: no sum of texts
    client.orders.aggregate({ sum: ['number'] });
    // @ts-expect-error: no such operator for this field
    client.orders.list({ filter: { status: { like: 'p' } } });
    // @ts-expect-error: no such resource
    client.books;
    export { note, numbers, sums, days };`,
  );
  expect(await project.compile()).toBe('');
});

it('generate client writes a file, writes it again, and touches no other', async () => {
  const { directory } = await createProject();
  const file = join(directory, 'resources.ts');
  const printed = await run(['generate', 'client']);
  expect(printed).toMatchObject({ status: 0, stdout: expect.stringContaining(mark) });
  const written = { status: 0, stdout: `wrote ${file}\n`, stderr: '' };
  expect(await run(['generate', 'client', '--out', file])).toEqual(written);
  await writeFile(file, `${mark}\nolder`);
  expect(await run(['generate', 'client', '--out', file])).toEqual(written);
  expect(await readFile(file, 'utf8')).toBe(printed.stdout);
  await writeFile(file, 'mine');
  expect((await run(['generate', 'client', '--out', file])).status).toBe(1);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

describeDatabase('sqlite', 'the written file', (databases) => {
  const service = useService(databases, { application: newsroom });

  it('the written file is what a client needs to call the service', async () => {
    const { directory } = await createProject();
    const file = join(directory, 'resources.ts');
    await run(['generate', 'client', '--out', file]);
    const { resources }: typeof import('./applications.ts') = await import(pathToFileURL(file).href);
    const admin = await service.admin();
    const client = createClient({ baseUrl: service.origin, auth: { token: admin.token }, resources });
    const saved = await client.orders.create({ number: 'G-1', amount: 3 });
    expect((await client.orders.get(saved.id)).amount).toBe(3);
  });
});
