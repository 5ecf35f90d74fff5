/**
 * Values on their whole way through adopted tables: sent by a caller, shown by responses, filters, sorts, pages,
 * aggregates and files, and read by the database's own driver. The schema stays as it was.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ModelField, ResourceModel } from '../../src/model/resource.ts';
import { type AdoptedRow, adoptedShapes, asAnother, loadShape, serveShape } from '../support/adopted.ts';
import { describeEachDatabase } from '../support/databases.ts';

type Value = unknown;
type Values = Readonly<Record<string, Value>>;
type Shape = Awaited<ReturnType<typeof serveShape>>;

const limits = (field: ModelField): { readonly min?: number | string; readonly max?: number | string } =>
  field.type.bounds?.(field.options) ?? {};

const whole = Number.MAX_SAFE_INTEGER;

/** The first character keeps it unique; the others take four bytes each. */
const longText = (nth: number, field: ModelField): string =>
  String(nth) + '𝄞'.repeat(Math.min(Number(limits(field).max ?? 300), 300) - 1);

/** Values at the ends of what a field takes, for the first, second and third record. */
const extremes = (field: ModelField, nth: number): Value => {
  const { options, kind } = field;
  const { min, max } = limits(field);
  const {
    scale = 0,
    fraction = 0,
    choices = [],
  } = options as {
    readonly scale?: number;
    readonly fraction?: number;
    readonly choices?: readonly string[];
  };
  const nines = `${'9'.repeat(15 - scale)}${scale === 0 ? '' : `.${'9'.repeat(scale)}`}`;
  const of: Readonly<Record<string, readonly Value[]>> = {
    integer: [min ?? -whole, max ?? whole, Math.max(Number(min ?? 0), 1)],
    decimal: [min ?? `-${nines}`, max ?? nines, (Number(min ?? 0) + 0.5).toFixed(scale)],
    number: [min ?? -1.7976931348623157e308, max ?? 5e-324, 0.1],
    boolean: [true, false, true],
    date: ['0001-01-01', '9999-12-31', '2024-02-29'],
    datetime: ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00.120Z'],
    time: [
      '00:00:00',
      fraction === 0 ? '23:59:59' : `23:59:59.${'9'.repeat(fraction)}`,
      fraction === 0 ? '12:30:00' : '12:30:00.5',
    ],
    uuid: ['0', 'f', 'a'].map((digit) => `${digit.repeat(7)}${nth}-0000-4000-8000-${digit.repeat(12)}`),
    json: [{ a: [1, '𝄞', null], b: { c: 1.5 } }, [], 'text'],
    string: [longText(nth, field), `${nth}`, `${nth} 'ä"`],
    text: [longText(nth, field), `${nth}`, `${nth}\n\t'ä"`],
    enum: [choices[0], choices.at(-1), choices[1] ?? choices[0]],
  };
  const values = of[kind];
  if (values === undefined) throw new Error(`no values for ${kind}`);
  return values[nth % values.length];
};

/** Keys of one column. */
const oneColumn = ['integer', 'bigint', 'uuid', 'text'];

/** Values that conditions of a table over several columns demand. */
const demanded: Readonly<Record<string, readonly Values[]>> = {
  Everything: [
    { small: -32_768, exact: '999999999.999' },
    { small: 32_767, exact: '32767.001' },
    { small: 0, exact: null },
  ],
  // A key of two columns.
  LinesOfKey: [0, 1, 2].map(() => ({ shop: null, line: null })),
  // A key to the column of citext, which takes every spelling.
  Card: [{ everything_name: 'ANN' }, { everything_name: 'Ann' }, { everything_name: null }],
};

const isWritten = (field: ModelField): boolean =>
  field.name !== 'id' && !field.serverSet && field.options.generated !== true;

const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Seconds that a column keeps of a sent time. */
const cutTime = (model: ResourceModel, { name, kind }: ModelField, sent: Value): Value =>
  sent !== null && kind === 'datetime' && model.stored.types?.get(name) === 'YYYY-MM-DD HH:MM:SS'
    ? String(sent).replace(/\.\d+Z$/, '.000Z')
    : sent;

const isReal = (model: ResourceModel, { name }: ModelField): boolean =>
  model.stored.types?.get(name) === 'real';

/** The value of a column as a driver reads it, in the form of JSON. */
const asJson = ({ type, options }: ModelField, raw: Value): Value => {
  const { scale = 0 } = options as { readonly scale?: number };
  if (raw === null) return null;
  switch (type.column) {
    case 'integer':
    case 'number':
      return Number(raw);
    case 'decimal':
      return typeof raw === 'number' ? raw.toFixed(scale) : raw;
    case 'boolean':
      return raw === 'true' || raw === 1;
    case 'timestamp': {
      const [, day, clock, part = ''] = /^(\S+?)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?/.exec(String(raw)) ?? [];
      return `${day}T${clock}.${part.slice(0, 3).padEnd(3, '0')}Z`;
    }
    case 'json':
      return JSON.parse(String(raw));
    default:
      return raw;
  }
};

describeEachDatabase('values of adopted tables', (databases) => {
  const isSqlite = databases.dialect === 'sqlite';

  /** The rows of a table as the driver reads them, by their ids in the order of an expression. */
  const driverRows = async (url: string, model: ResourceModel, order?: string) => {
    const { schema, name } = model.stored;
    const table = schema === undefined ? sqlName(name) : `${sqlName(schema)}.${sqlName(name)}`;
    const columns = [...model.fields.values()].map(({ name: field, column }) => {
      const text = isSqlite ? sqlName(column) : `${sqlName(column)}::text`;
      return `${text} as ${sqlName(field)}`;
    });
    const zone = isSqlite ? '' : `set timezone to 'UTC'; `;
    const rows = await asAnother(
      url,
      `${zone}select ${columns.join(', ')} from ${table} as t${order === undefined ? '' : ` order by ${order}`}`,
    );
    return rows.map((row): AdoptedRow => {
      const shown = [...model.fields.values()].map((field) => [field.name, asJson(field, row[field.name])]);
      const { id } = row;
      return { ...Object.fromEntries(shown), id: model.key.stored(id as string) };
    });
  };

  const schemaOf = async (url: string): Promise<string> => {
    // The counts of `autoincrement` are SQLite's own.
    if (isSqlite)
      return JSON.stringify(
        await asAnother(
          url,
          `select type, name, tbl_name, sql from sqlite_schema where tbl_name not like 'gatewright%' and name <> 'sqlite_sequence' order by 1, 2`,
        ),
      );
    const isTheirs = (of: string) =>
      `${of} in (select oid from pg_class where relnamespace = 'public'::regnamespace)`;
    const parts = [
      `select oid::text, relname::text, relkind::text, relacl::text, reloptions::text, relrowsecurity, obj_description(oid) as said from pg_class where relnamespace = 'public'::regnamespace order by oid`,
      `select attrelid::text, attname::text, format_type(atttypid, atttypmod) as type, attnotnull, attidentity::text, attgenerated::text, attcollation::text, attacl::text from pg_attribute where ${isTheirs('attrelid')} and attnum > 0 order by attrelid, attnum`,
      `select adrelid::text, adnum, pg_get_expr(adbin, adrelid) as sql from pg_attrdef where ${isTheirs('adrelid')} order by adrelid, adnum`,
      `select conname::text, pg_get_constraintdef(oid) as sql from pg_constraint where connamespace = 'public'::regnamespace order by oid`,
      `select pg_get_indexdef(indexrelid) as sql from pg_index where ${isTheirs('indrelid')} order by indexrelid`,
      `select tgname::text, pg_get_triggerdef(oid) as sql from pg_trigger where ${isTheirs('tgrelid')} order by oid`,
      `select typname::text, enumlabel::text, enumsortorder from pg_enum join pg_type on pg_type.oid = enumtypid order by 1, 3`,
      `select proname::text from pg_proc where pronamespace = 'public'::regnamespace order by oid`,
    ];
    const found: unknown[] = [];
    for (const part of parts) found.push(await asAnother(url, part));
    return JSON.stringify(found);
  };

  /** Models that can be written, each behind those to which its references lead. */
  const inOrder = (models: readonly ResourceModel[]): readonly ResourceModel[] => {
    const sorted: ResourceModel[] = [];
    const add = (model: ResourceModel, above: readonly ResourceModel[]): void => {
      if (sorted.includes(model) || above.includes(model)) return;
      for (const { reference } of model.fields.values()) {
        const target = models.find(({ name }) => name === reference);
        if (target !== undefined) add(target, [...above, model]);
      }
      sorted.push(model);
    };
    for (const model of models) add(model, []);
    return sorted.filter(({ stored, key }) => stored.readOnly !== true && oneColumn.includes(key.kind));
  };

  /** The body of the n-th record: extreme values, and nulls in the third one. */
  const bodyOf = async (shape: Shape, model: ResourceModel, nth: number): Promise<Values> => {
    const body: Record<string, Value> = model.key.givenBy === 'caller' ? { id: `k${nth}` } : {};
    for (const field of [...model.fields.values()].filter(isWritten)) {
      const isNull = nth === 2 && !field.required && field.options.default === undefined;
      if (isNull) body[field.name] = null;
      else if (field.reference === undefined) body[field.name] = extremes(field, nth);
      else {
        const target = shape.models.find(({ name }) => name === field.reference);
        const rows = target === undefined ? [] : await shape.listed(`${target.path}?sort=id&per_page=100`);
        body[field.name] = rows[nth % rows.length]?.id ?? null;
      }
    }
    return { ...body, ...demanded[model.name]?.[nth] };
  };

  const expectSame = (model: ResourceModel, sent: Values, shown: Values): void => {
    for (const field of model.fields.values()) {
      const { name } = field;
      if (!Object.hasOwn(sent, name)) continue;
      const [value, got] = [cutTime(model, field, sent[name]), shown[name]];
      const isSingle = isReal(model, field) && typeof value === 'number';
      expect([name, isSingle ? Math.fround(Number(got)) : got]).toEqual([
        name,
        isSingle ? Math.fround(value) : value,
      ]);
    }
  };

  const create = async (shape: Shape, url: string, model: ResourceModel): Promise<readonly AdoptedRow[]> => {
    const made: AdoptedRow[] = [];
    for (const nth of [0, 1, 2]) {
      const body = await bodyOf(shape, model, nth);
      const answer = await shape.asked('POST', model.path, { [model.singular]: body });
      expect([model.name, nth, answer.status, answer.status === 201 ? '' : answer.text]).toEqual([
        model.name,
        nth,
        201,
        '',
      ]);
      expectSame(model, body, answer.data);
      made.push(answer.data);
    }
    const rows = new Map((await driverRows(url, model)).map((row) => [row.id, row]));
    for (const record of made) {
      const read = await shape.asked('GET', `${model.path}/${encodeURIComponent(record.id)}`);
      expect([read.status, read.data]).toEqual([200, record]);
      expect([model.name, record]).toEqual([model.name, rows.get(record.id)]);
    }
    return made;
  };

  const update = async (shape: Shape, model: ResourceModel, record: AdoptedRow): Promise<void> => {
    const path = `${model.path}/${encodeURIComponent(record.id)}`;
    const { headers } = await shape.asked('GET', path);
    const match = { 'if-match': String(headers['etag']) };
    // All that was read is sent again: nothing may change on its way.
    const sent = Object.fromEntries(
      [...model.fields.values()].filter(isWritten).map(({ name }) => [name, record[name]]),
    );
    const same = await shape.asked('PATCH', path, { [model.singular]: sent }, match);
    expect([model.name, same.status, same.text.slice(0, 300)]).toEqual([model.name, 200, expect.any(String)]);
    const { updated_at: _, ...kept } = record;
    expect(same.data).toMatchObject(kept);
    const field = [...model.fields.values()].find(
      (each) =>
        isWritten(each) &&
        each.reference === undefined &&
        demanded[model.name]?.[0]?.[each.name] === undefined,
    );
    if (field === undefined || field.unique) return;
    const nth = [0, 1, 2].find(
      (each) => JSON.stringify(extremes(field, each)) !== JSON.stringify(record[field.name]),
    );
    const isText = field.kind === 'string' || field.kind === 'text';
    const other = { [field.name]: isText ? 'x9' : extremes(field, nth ?? 1) };
    const next = { 'if-match': String((await shape.asked('GET', path)).headers['etag']) };
    expect((await shape.asked('PATCH', path, { [model.singular]: other }, next)).status).toBe(200);
    expect((await shape.asked('PATCH', path, { [model.singular]: other }, next)).status).toBe(412);
    const restored = await shape.asked('PATCH', path, { [model.singular]: sent });
    expect(restored.data).toMatchObject(kept);
  };

  const folds =
    (model: ResourceModel, { name }: ModelField) =>
    (value: Value): Value =>
      model.stored.types?.get(name) === 'citext' && typeof value === 'string' ? value.toLowerCase() : value;

  const filter = async (shape: Shape, model: ResourceModel, all: readonly AdoptedRow[]): Promise<void> => {
    for (const field of model.fields.values()) {
      const { name, type } = field;
      if (!type.operators.includes('eq')) continue;
      const folded = folds(model, field);
      const ids = (isIn: (value: Value) => boolean): readonly Value[] =>
        all.filter((row) => isIn(row[name])).map(({ id }) => id);
      const found = async (query: string): Promise<readonly Value[]> =>
        (await shape.listed(`${model.path}?${query}&sort=id&per_page=100`)).map(({ id }) => id);
      for (const value of new Set(all.map((row) => row[name]))) {
        const text = encodeURIComponent(String(value));
        const is = (other: Value): boolean => folded(other) === folded(value);
        if (value === null)
          expect([name, await found(`filter[${name}][null]=true`)]).toEqual([name, ids(is)]);
        else {
          expect([name, value, await found(`filter[${name}]=${text}`)]).toEqual([name, value, ids(is)]);
          expect([name, await found(`filter[${name}][ne]=${text}`)]).toEqual([
            name,
            ids((each) => !is(each)),
          ]);
        }
        if (typeof value === 'string' && type.operators.includes('starts_with'))
          expect([
            name,
            await found(`filter[${name}][starts_with]=${encodeURIComponent([...value][0] ?? '')}`),
          ]).toEqual([name, ids((each) => typeof each === 'string' && each.startsWith([...value][0] ?? ''))]);
      }
    }
  };

  /** Every page of a list, by the links to the next one; undefined where texts have no end. */
  const walk = async (shape: Shape, path: string): Promise<readonly Value[] | undefined> => {
    const ids: Value[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: { status: number; data: unknown; headers: { link?: string } } = (await shape.asked(
        'GET',
        `${path}&per_page=2&after=${after}`,
      )) as never;
      if (page.status === 400) return undefined;
      ids.push(...(page.data as AdoptedRow[]).map(({ id }) => id));
      after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(page.headers.link ?? '')?.[1];
    }
    return ids;
  };

  const sort = async (shape: Shape, url: string, model: ResourceModel): Promise<void> => {
    const key = `t.${sqlName(model.fields.get('id')?.column ?? 'id')}`;
    for (const { name, type, kind, column } of model.fields.values()) {
      if (!type.sortable) continue;
      const isText = !isSqlite && kind === 'enum';
      const by = isText ? `t.${sqlName(column)}::text collate "C"` : `t.${sqlName(column)}`;
      for (const [sign, direction] of [
        ['', 'asc nulls first'],
        ['-', 'desc nulls last'],
      ]) {
        const wanted = (await driverRows(url, model, `${by} ${direction}, ${key}`)).map(({ id }) => id);
        const query = `${model.path}?sort=${sign}${name}`;
        const shown = (await shape.listed(`${query}&per_page=100`)).map(({ id }) => id);
        expect([query, shown]).toEqual([query, wanted]);
        const walked = await walk(shape, query);
        if (walked === undefined) expect(['text', 'json']).toContain(kind);
        else expect([query, walked]).toEqual([query, wanted]);
      }
    }
  };

  const include = async (shape: Shape, model: ResourceModel): Promise<void> => {
    for (const relation of model.relations.values()) {
      const path = `${model.path}?include=${relation.name}&sort=id&per_page=100`;
      for (const row of await shape.listed(path)) {
        const related = row[relation.name] as AdoptedRow | readonly AdoptedRow[] | null;
        if (Array.isArray(related))
          for (const each of related) expect([path, each[relation.to]]).toEqual([path, row[relation.from]]);
        else expect([path, (related as AdoptedRow | null)?.id ?? null]).toEqual([path, row[relation.from]]);
      }
    }
  };

  const exactSum = (values: readonly Value[], scale: number): bigint =>
    values
      .filter((value) => value !== null)
      .reduce<bigint>((sum, value) => {
        const text = String(value);
        const [full = '', part = ''] = text.replace('-', '').split('.');
        const number = BigInt(full + part.padEnd(scale, '0'));
        return text.startsWith('-') ? sum - number : sum + number;
      }, 0n);

  const aggregate = async (shape: Shape, model: ResourceModel, all: readonly AdoptedRow[]): Promise<void> => {
    for (const field of model.fields.values()) {
      const { name, kind, options } = field;
      const values = all.map((row) => row[name]);
      if (kind !== 'json' && kind !== 'text') {
        const groups = (await shape.asked('GET', `${model.path}/aggregate?group=${name}&count`)) as never as {
          data: readonly Values[];
          status: number;
        };
        const counts = [...Map.groupBy(values, folds(model, field)).values()].map((each) => each.length);
        expect([name, groups.status, groups.data.map((each) => each['count']).sort()]).toEqual([
          name,
          200,
          counts.sort(),
        ]);
      }
      if (kind !== 'integer' && kind !== 'decimal') continue;
      const { scale = 0 } = options as { readonly scale?: number };
      const answer = (await shape.asked('GET', `${model.path}/aggregate?sum=${name}`)) as never as {
        data: readonly Values[];
      };
      const sum = answer.data[0]?.[`sum_${name}`];
      const isNone = values.every((value) => value === null);
      expect([name, isNone ? sum : exactSum([sum], scale)]).toEqual([
        name,
        isNone ? null : exactSum(values, scale),
      ]);
    }
  };

  const batch = async (
    shape: Shape,
    model: ResourceModel,
    made: readonly AdoptedRow[],
  ): Promise<AdoptedRow[]> => {
    const [first, second, third] = made;
    const body = {
      ...(await bodyOf(shape, model, 2)),
      ...(model.key.givenBy === 'caller' ? { id: 'k9' } : {}),
    };
    const field = [...model.fields.values()].find((each) => isWritten(each) && each.reference === undefined);
    const changed = { id: first?.id, ...(field === undefined ? {} : { [field.name]: first?.[field.name] }) };
    const answer = await shape.asked('POST', `${model.path}/batch`, {
      update: [changed],
      delete: [third?.id],
      create: [body],
    });
    expect([model.name, answer.status, answer.text.slice(0, 300)]).toEqual([
      model.name,
      200,
      expect.any(String),
    ]);
    const { created, updated } = answer.data as never as Readonly<
      Record<'created' | 'updated', AdoptedRow[]>
    >;
    expect(updated[0]?.[field?.name ?? 'id']).toEqual(first?.[field?.name ?? 'id']);
    const [fresh] = created;
    if (first === undefined || second === undefined || fresh === undefined)
      throw new Error('too few records');
    expectSame(model, body, fresh);
    return [updated[0] ?? first, second, fresh];
  };

  /** A file of all records, which changes nothing when it is imported again, and restores what was changed. */
  const transfer = async (shape: Shape, url: string, model: ResourceModel): Promise<void> => {
    const file = `${model.plural}.jsonl`;
    const { service, command, folder } = shape;
    const exported = await command(['export', file, '--resource', model.path], service.env);
    expect([exported.status, exported.stderr]).toEqual([0, expect.any(String)]);
    const before = await driverRows(url, model);
    const text = await readFile(join(folder, file), 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AdoptedRow);
    const listed = await shape.listed(`${model.path}?sort=id&per_page=100`);
    expect(lines).toEqual(listed);
    const imported = await service.request('POST', `/api/v1/${model.path}/import?update_by=id`, {
      token: shape.token,
      body: text,
      headers: { 'content-type': 'application/jsonl' },
    });
    expect([model.name, imported.status, imported.data]).toEqual([
      model.name,
      200,
      { created: 0, updated: lines.length },
    ]);
    const ignored = ['updated_at'];
    const plain = (rows: readonly AdoptedRow[]) =>
      rows
        .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !ignored.includes(name))))
        .sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
    expect(plain(await driverRows(url, model))).toEqual(plain(before));
  };

  it.each(adoptedShapes[databases.dialect])(
    '%s: every value comes back exactly, and the schema stays as it was',
    async (name) => {
      const url = await databases.create();
      await loadShape(url, name);
      const before = await schemaOf(url);
      // A schema of its own on PostgreSQL leaves nothing of the service in that of the program.
      const shape = await serveShape(databases, url, isSqlite ? 'gatewright_' : 'gatewright.');
      const models = inOrder(shape.models);
      expect(models.length).toBeGreaterThan(1);
      const all: [ResourceModel, readonly AdoptedRow[]][] = [];
      for (const model of models) all.push([model, await create(shape, url, model)]);
      for (const [model, made] of all) {
        for (const record of made) await update(shape, model, record);
        const rows = await shape.listed(`${model.path}?sort=id&per_page=100`);
        await filter(shape, model, rows);
        await sort(shape, url, model);
        await include(shape, model);
        await aggregate(shape, model, rows);
      }
      const left: [ResourceModel, readonly AdoptedRow[]][] = [];
      for (const [model, made] of all.toReversed()) {
        left.push([model, await batch(shape, model, made)]);
        await transfer(shape, url, model);
        for (const { id } of left.at(-1)?.[1].toReversed() ?? [])
          expect((await shape.asked('DELETE', `${model.path}/${encodeURIComponent(id)}`)).status).toBe(200);
      }
      expect(await schemaOf(url)).toBe(before);
    },
    60_000,
  );
});
