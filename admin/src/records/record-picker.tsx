import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type AnyRecord, recordName } from './record.ts';
import { useModel } from './use-metadata.ts';

export interface RecordPickerProps {
  readonly label: string;
  readonly model: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** Finds a record of a model by a few letters. */
export const RecordPicker = (props: RecordPickerProps) => {
  const { label, model: name, value: id, error, required = false, onChange } = props;
  const text = useText();
  const { data: model } = useModel(name);
  const [words, setWords] = useState('');
  const resource = `${recordsPrefix}${model?.path ?? ''}`;
  const nameOf = (record: AnyRecord): string =>
    model === undefined ? `#${record.id}` : `${recordName(model.metadata, record)} (#${record.id})`;
  const { data: chosen = null } = useQuery({
    queryKey: ['picked record', resource, id],
    enabled: id !== null && model !== undefined,
    queryFn: async () => (await dataProvider.getOne<AnyRecord>(resource, { id: id ?? 0 })).data,
  });
  const picked = id === null ? null : chosen;
  const searched = picked !== null && words === nameOf(picked) ? '' : words;
  const searchable = model?.metadata.fields.some((each) => each.searchable) === true;
  const { data: found = [], isFetching } = useQuery({
    queryKey: ['record picker', resource, searched],
    enabled: model !== undefined,
    queryFn: async ({ signal }) => {
      const filter = searched === '' || !searchable ? {} : { q: searched };
      const pagination = { page: 1, perPage: 12 };
      return (await dataProvider.getList<AnyRecord>(resource, { pagination, filter, signal })).data;
    },
  });
  const options = picked === null || found.some((each) => each.id === picked.id) ? found : [picked, ...found];
  return (
    <Autocomplete<AnyRecord>
      options={options}
      value={picked}
      loading={isFetching}
      inputValue={words}
      onInputChange={(_event, next) => setWords(next)}
      onChange={(_event, record) => onChange(record?.id ?? null)}
      getOptionLabel={nameOf}
      getOptionKey={(record) => record.id}
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
