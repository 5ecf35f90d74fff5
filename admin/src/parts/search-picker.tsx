/** An input that finds an entry by a search of the service. */

import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Paper, { type PaperProps } from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useState } from 'react';
import { useLanguage, useText } from '../texts/provider.ts';
import { useDebounced } from './use-debounced.ts';
import { useListbox } from './use-listbox.ts';

/** Matches shown at once. */
export const pickedAtOnce = 12;

/** The first matches, and their number; undefined if further ones were not counted. */
export interface Found<Item> {
  readonly items: readonly Item[];
  readonly total: number | undefined;
}

/** Creates a missing record from the typed words. */
export interface Adding {
  readonly label: string;
  readonly onAdd: (words: string) => void;
}

/** Id of the option for `Adding`. */
const addingId = -1;

interface SearchPickerProps<Item extends { readonly id: number }> {
  /** Name of the search in the cache. */
  readonly name: string;
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** False while nothing can be searched yet. */
  readonly ready?: boolean;
  readonly nameOf: (item: Item) => string;
  readonly adding?: Adding | undefined;
  readonly load: (id: number) => Promise<Item>;
  readonly search: (words: string, signal: AbortSignal) => Promise<Found<Item>>;
}

/** Number of matches that are not shown. */
const Beyond = createContext<{ readonly shown: number; readonly total: number | undefined }>({
  shown: 0,
  total: 0,
});

const FoundPaper = ({ children, ...props }: PaperProps) => {
  const text = useText();
  const language = useLanguage();
  const { shown, total } = useContext(Beyond);
  const format = new Intl.NumberFormat(language);
  return (
    <Paper {...props} elevation={8}>
      {children}
      {total === undefined || total > shown ? (
        <Box
          sx={{ px: 2, py: 1, borderTop: 1, borderColor: 'divider', color: 'text.secondary', fontSize: 13 }}
        >
          {total === undefined
            ? text('picker.newest', { shown: format.format(shown) })
            : text('picker.beyond', { shown: format.format(shown), total: format.format(total) })}
        </Box>
      ) : null}
    </Paper>
  );
};

/** Finds a record by a few letters; the service searches. */
export const SearchPicker = <Item extends { readonly id: number }>(props: SearchPickerProps<Item>) => {
  const { name, label, value, error, required = false, ready = true, adding, load, search, onChange } = props;
  const nameOf = (item: Item): string => (item.id === addingId ? (adding?.label ?? '') : props.nameOf(item));
  const text = useText();
  const [words, setWords] = useState('');
  const { open, listbox } = useListbox();
  const chosen = useQuery({
    queryKey: ['picked', name, value],
    enabled: value !== null && ready,
    queryFn: () => load(value ?? 0),
  });
  const picked = value !== null && chosen.data?.id === value ? chosen.data : null;
  const wanted = useDebounced(picked !== null && words === nameOf(picked) ? '' : words.trim());
  const { data: found, isFetching } = useQuery({
    queryKey: ['picker', name, wanted],
    enabled: ready && open,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => search(wanted, signal),
  });
  const items = found?.items ?? [];
  const known = picked === null || items.some(({ id }) => id === picked.id) ? items : [picked, ...items];
  const options =
    adding === undefined || found === undefined ? known : [...known, { id: addingId } as unknown as Item];
  const choose = (item: Item | null): void => {
    if (item?.id === addingId) adding?.onAdd(words.trim());
    else onChange(item?.id ?? null);
  };
  return (
    <Beyond value={{ shown: items.length, total: found === undefined ? 0 : found.total }}>
      <Autocomplete<Item>
        options={options}
        value={picked}
        {...listbox}
        loading={isFetching || found === undefined}
        inputValue={words}
        onInputChange={(_event, next) =>
          setWords(next === adding?.label ? (picked === null ? '' : nameOf(picked)) : next)
        }
        onChange={(_event, item) => choose(item)}
        getOptionLabel={nameOf}
        getOptionKey={({ id }) => id}
        isOptionEqualToValue={(one, other) => one.id === other.id}
        filterOptions={(all) => all}
        slots={{ paper: FoundPaper }}
        noOptionsText={text('list.nothingFound')}
        loadingText={text('common.loading')}
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
    </Beyond>
  );
};
