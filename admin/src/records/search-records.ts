/** Searches of records by words or ids, for pickers. */

import { type Found, pickedAtOnce } from '../parts/search-picker.tsx';
import { send } from '../service.ts';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, idFrom, nameFields, namingField, type RecordId } from './record.ts';

type Query = Readonly<Record<string, string>>;

/** Values that found records have, by field. */
export type Among = Readonly<Record<string, RecordId>>;

/** Number of newest records that are searched before all others: most searches are for one of them. */
const newestRows = 50_000;

/** The condition of a search: on the naming field, else on all searchable fields. */
const searchCondition = (metadata: Metadata, words: string): Query | undefined => {
  if (words === '') return {};
  const naming = namingField(metadata);
  if (naming?.operators.includes('like')) return { [`filter[${naming.name}][like]`]: words };
  return metadata.fields.some(({ searchable }) => searchable) ? { q: words } : undefined;
};

/** An id as people write it: `17`, `#17`. */
const idWithin = (words: string, { fields }: Metadata): RecordId | undefined => {
  const text = words.replace(/^#/, '');
  const type = fields.find(({ name }) => name === 'id')?.type;
  const id = type === 'integer' && text !== '' ? idFrom(text) : text;
  const isText = type === 'uuid' ? /^[0-9a-f-]{36}$/i.test(text) : /^(?:0|-?[1-9]\d{0,18})$/.test(text);
  return (type === 'integer' ? typeof id === 'number' : isText) ? id : undefined;
};

/** The newest matching records of a resource, and the record with the typed id. */
export const searchRecords = async (
  resource: string,
  metadata: Metadata,
  words: string,
  among: Among,
  signal: AbortSignal,
): Promise<Found<AnyRecord>> => {
  const having = Object.entries(among).map(([name, value]) => [`filter[${name}]`, String(value)]);
  const fields = [...new Set(['id', ...nameFields(metadata)])].join(',');
  const list = async (query: Query): Promise<Found<AnyRecord>> => {
    const per_page = String(pickedAtOnce);
    const asked = new URLSearchParams({
      ...{ fields, sort: '-id', per_page },
      ...Object.fromEntries(having),
      ...query,
    });
    const { data, headers } = await send<AnyRecord[]>('GET', `/admin/${resource}?${asked}`, { signal });
    const total = headers.get('x-total-count');
    return { items: data, total: total === null ? undefined : Number(total) };
  };
  /** Nothing is counted: fewer results than the limit are all of them. */
  const first = async (query: Query): Promise<Found<AnyRecord>> => {
    const { items } = await list({ ...query, after: '' });
    return { items, total: items.length < pickedAtOnce ? items.length : undefined };
  };
  const byWords = async (condition: Query): Promise<Found<AnyRecord>> => {
    if (words === '') return first({});
    const [newest] = (await list({ per_page: '1', after: '' })).items;
    const from = typeof newest?.id === 'number' ? newest.id - newestRows + 1 : 0;
    if (from <= 1) return list({ ...condition, page: '1' });
    const found = await first({ ...condition, 'filter[id][gte]': String(from) });
    return found.total === undefined ? found : list({ ...condition, page: '1' });
  };
  const condition = searchCondition(metadata, words);
  const id = idWithin(words, metadata);
  const nothing: Found<AnyRecord> = { items: [], total: 0 };
  const [named, numbered] = await Promise.all([
    condition === undefined ? nothing : byWords(condition),
    id === undefined ? nothing : first({ 'filter[id]': String(id) }),
  ]);
  const others = named.items.filter((each) => each.id !== id);
  const isTwice = others.length < named.items.length;
  const total =
    named.total === undefined ? undefined : named.total + numbered.items.length - (isTwice ? 1 : 0);
  return { items: [...numbered.items, ...others], total };
};
