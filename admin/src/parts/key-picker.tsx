import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../keys/api-key.ts';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';

const nameOf = ({ name, key, user }: ApiKey): string => `${name} · ${user.username} · ${key}`;

interface KeyPickerProps {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
}

/** Finds a key by its name, its mask or its owner. */
export const KeyPicker = ({ label, value, onChange }: KeyPickerProps) => {
  const text = useText();
  const [words, setWords] = useState('');
  const { data: picked = null } = useQuery({
    queryKey: ['picked key', value],
    enabled: value !== null,
    queryFn: async () => (await dataProvider.getOne<ApiKey>('api_keys', { id: value ?? 0 })).data,
  });
  const searched = picked !== null && words === nameOf(picked) ? '' : words;
  const { data: found = [], isFetching } = useQuery({
    queryKey: ['key picker', searched],
    queryFn: async ({ signal }) => {
      const filter = searched === '' ? {} : { q: searched };
      const pagination = { page: 1, perPage: 12 };
      return (await dataProvider.getList<ApiKey>('api_keys', { pagination, filter, signal })).data;
    },
  });
  const current = value === null ? null : picked;
  const options = current === null || found.some(({ id }) => id === current.id) ? found : [current, ...found];
  return (
    <Autocomplete<ApiKey>
      options={options}
      value={current}
      loading={isFetching}
      inputValue={words}
      onInputChange={(_event, next) => setWords(next)}
      onChange={(_event, key) => onChange(key?.id ?? null)}
      getOptionLabel={nameOf}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(one, other) => one.id === other.id}
      filterOptions={(all) => all}
      noOptionsText={text('list.nothingFound')}
      loadingText={text('common.loading')}
      clearText={text('common.clear')}
      openText={text('common.open')}
      closeText={text('common.close')}
      renderInput={(parameters) => <TextField {...parameters} label={label} />}
    />
  );
};
