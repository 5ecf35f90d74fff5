/** Inputs that pick a user or an API key. */

import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { pickedAtOnce, SearchPicker } from './search-picker.tsx';

interface PickerProps {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

interface OwnPickerProps<Item> extends PickerProps {
  readonly resource: string;
  readonly order: 'id' | 'username';
  readonly nameOf: (item: Item) => string;
}

/** Finds a record of the service by a few letters. */
const OwnPicker = <Item extends { readonly id: number }>(props: OwnPickerProps<Item>) => {
  const { resource, order, ...rest } = props;
  return (
    <SearchPicker<Item>
      {...rest}
      name={resource}
      load={async (id) => (await dataProvider.getOne<Item>(resource, { id })).data}
      search={async (words, signal) => {
        const filter = words === '' ? {} : { q: words };
        const pagination = { page: 1, perPage: pickedAtOnce };
        const sort = { field: order, order: order === 'id' ? 'DESC' : 'ASC' } as const;
        const { data, total = data.length } = await dataProvider.getList<Item>(resource, {
          pagination,
          sort,
          filter,
          signal,
        });
        return { items: data, total };
      }}
    />
  );
};

export interface PickedUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

export const UserPicker = (props: PickerProps) => {
  const text = useText();
  const nameOf = ({ username, name }: PickedUser): string =>
    name === '' || name === username ? username : text('common.named', { name: username, more: name });
  return <OwnPicker<PickedUser> {...props} resource="users" order="username" nameOf={nameOf} />;
};

interface PickedKey {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly user: { readonly username: string };
}

/** Finds a key by its name, its mask or its owner. */
export const KeyPicker = (props: PickerProps) => (
  <OwnPicker<PickedKey>
    {...props}
    resource="api_keys"
    order="id"
    nameOf={({ name, key, user }) => `${name} · ${user.username} · ${key}`}
  />
);
