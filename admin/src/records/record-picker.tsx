import { type Found, pickedAtOnce, SearchPicker } from '../parts/search-picker.tsx';
import { dataProvider, recordsPrefix } from '../service.ts';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, namingField, recordName } from './record.ts';
import { useModel } from './use-metadata.ts';

export interface RecordPickerProps {
  readonly label: string;
  readonly model: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** By which condition words are looked for: in the field that names a record, else in all that is searched. */
const conditionOf = (metadata: Metadata, words: string): Readonly<Record<string, string>> | undefined => {
  if (words === '') return {};
  const naming = namingField(metadata);
  if (naming?.operators.includes('like')) return { [`${naming.name}@like`]: words };
  return metadata.fields.some(({ searchable }) => searchable) ? { q: words } : undefined;
};

/** An id as a person writes it: `17`, `#17`. */
const idIn = (words: string): number | undefined => {
  const [, digits] = /^#?(\d{1,15})$/.exec(words) ?? [];
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits);
};

const searchRecords = async (
  resource: string,
  metadata: Metadata,
  words: string,
  signal: AbortSignal,
): Promise<Found<AnyRecord>> => {
  const list = async (filter: object): Promise<Found<AnyRecord>> => {
    const pagination = { page: 1, perPage: pickedAtOnce };
    const { data, total = data.length } = await dataProvider.getList<AnyRecord>(resource, {
      ...{ pagination, filter, signal },
    });
    return { items: data, total };
  };
  const condition = conditionOf(metadata, words);
  const id = idIn(words);
  const [named, numbered] = await Promise.all([
    condition === undefined ? { items: [], total: 0 } : list(condition),
    id === undefined ? { items: [], total: 0 } : list({ id }),
  ]);
  const others = named.items.filter((each) => each.id !== id);
  const isTwice = others.length < named.items.length;
  return { items: [...numbered.items, ...others], total: named.total + numbered.total - (isTwice ? 1 : 0) };
};

/** Finds a record of a model by a few letters of its name, or by its number. */
export const RecordPicker = ({ model: name, ...props }: RecordPickerProps) => {
  const { data: model } = useModel(name);
  const resource = `${recordsPrefix}${model?.path ?? ''}`;
  return (
    <SearchPicker<AnyRecord>
      {...props}
      name={resource}
      ready={model !== undefined}
      nameOf={(record) =>
        model === undefined ? `#${record.id}` : `${recordName(model.metadata, record)} (#${record.id})`
      }
      load={async (id) => (await dataProvider.getOne<AnyRecord>(resource, { id })).data}
      search={(words, signal) =>
        model === undefined
          ? Promise.resolve({ items: [], total: 0 })
          : searchRecords(resource, model.metadata, words, signal)
      }
    />
  );
};
