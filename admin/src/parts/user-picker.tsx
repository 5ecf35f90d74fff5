import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';

export interface PickedUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

const nameOf = ({ username, name }: PickedUser): string =>
  name === '' || name === username ? username : `${username} (${name})`;

interface UserPickerProps {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** Finds a user among however many by a few letters. */
export const UserPicker = ({ label, value, onChange, error, required = false }: UserPickerProps) => {
  const text = useText();
  const [words, setWords] = useState('');
  const chosen = useQuery({
    queryKey: ['picked user', value],
    enabled: value !== null,
    queryFn: async () => (await dataProvider.getOne<PickedUser>('users', { id: value ?? 0 })).data,
  });
  const picked = value !== null && chosen.data?.id === value ? chosen.data : null;
  const searched = picked !== null && words === nameOf(picked) ? '' : words;
  const { data: found = [], isFetching } = useQuery({
    queryKey: ['user picker', searched],
    queryFn: async ({ signal }) => {
      const filter = searched === '' ? {} : { q: searched };
      const pagination = { page: 1, perPage: 12 };
      const sort = { field: 'username', order: 'ASC' } as const;
      return (await dataProvider.getList<PickedUser>('users', { pagination, sort, filter, signal })).data;
    },
  });
  const options = picked === null || found.some(({ id }) => id === picked.id) ? found : [picked, ...found];
  return (
    <Autocomplete<PickedUser>
      options={options}
      value={picked}
      loading={isFetching}
      inputValue={words}
      onInputChange={(_event, next) => setWords(next)}
      onChange={(_event, user) => onChange(user?.id ?? null)}
      getOptionLabel={nameOf}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(one, other) => one.id === other.id}
      filterOptions={(all) => all}
      noOptionsText={text('list.nothingFound')}
      loadingText={text('common.loading')}
      clearText={text('common.clear')}
      openText={text('common.open')}
      closeText={text('common.close')}
      renderInput={(parameters) => (
        <TextField
          {...parameters}
          label={label}
          required={required}
          error={error !== undefined}
          helperText={error}
        />
      )}
    />
  );
};
