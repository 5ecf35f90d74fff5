import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { pickedAtOnce, SearchPicker } from './search-picker.tsx';

export interface PickedUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

interface UserPickerProps {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** Finds a user among however many by a few letters. */
export const UserPicker = (props: UserPickerProps) => {
  const text = useText();
  const nameOf = ({ username, name }: PickedUser): string =>
    name === '' || name === username ? username : text('common.named', { name: username, more: name });
  return (
    <SearchPicker<PickedUser>
      {...props}
      name="users"
      nameOf={nameOf}
      load={async (id) => (await dataProvider.getOne<PickedUser>('users', { id })).data}
      search={async (words, signal) => {
        const filter = words === '' ? {} : { q: words };
        const pagination = { page: 1, perPage: pickedAtOnce };
        const sort = { field: 'username', order: 'ASC' } as const;
        const { data, total = data.length } = await dataProvider.getList<PickedUser>('users', {
          ...{ pagination, sort, filter, signal },
        });
        return { items: data, total };
      }}
    />
  );
};
