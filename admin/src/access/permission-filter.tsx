/** The filter of the permission table. */

import Autocomplete from '@mui/material/Autocomplete';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useText } from '../texts/provider.ts';
import type { ModelActions } from './permission-table.ts';

/**
 * Tests whether the words select a thing by one of its names: a name that a word equals comes first, else a name that
 * contains it.
 */
const named = (words: readonly string[], names: readonly (readonly string[])[]) => {
  const whole = new Set(words.filter((word) => names.some((each) => each.includes(word))));
  const parts = words.filter((word) => !whole.has(word)).map((word) => word.toLowerCase());
  return (each: readonly string[]): boolean =>
    words.length === 0 ||
    each.some((name) => whole.has(name) || parts.some((part) => name.toLowerCase().includes(part)));
};

const wordsIn = (parameters: URLSearchParams, name: string): string[] =>
  (parameters.get(name) ?? '').split(',').filter((word) => word !== '');

/** The filter of the table. The address of the page holds it, so that users can share it. */
export const usePermissionFilter = (
  roles: readonly string[],
  models: readonly ModelActions[],
  nameOf: (model: string) => string,
) => {
  const [parameters, setParameters] = useSearchParams();
  const [typed, setTyped] = useState({ roles: '', models: '' });
  const address = parameters.toString();
  const chosen = useMemo(() => {
    const given = new URLSearchParams(address);
    return {
      roles: wordsIn(given, 'roles'),
      models: wordsIn(given, 'models'),
      checked: given.has('checked'),
    };
  }, [address]);
  const set = (name: 'roles' | 'models' | 'checked', value: string): void => {
    // While a large table renders, the page may still have an older filter than the address.
    const next = new URLSearchParams(window.location.search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setParameters(next, { replace: true });
  };
  const shown = useMemo(() => {
    const withTyped = (words: readonly string[], more: string): readonly string[] =>
      more.trim() === '' ? words : [...words, more.trim()];
    const ofRoles = named(
      withTyped(chosen.roles, typed.roles),
      roles.map((role) => [role]),
    );
    const namesOf = ({ model }: ModelActions): readonly string[] => [model, nameOf(model)];
    const ofModels = named(withTyped(chosen.models, typed.models), models.map(namesOf));
    const isAsked = ({ actions }: ModelActions): boolean => actions.some(({ checked }) => checked);
    return {
      roles: roles.filter((role) => ofRoles([role])),
      models: models.filter((each) => ofModels(namesOf(each)) && (!chosen.checked || isAsked(each))),
    };
  }, [chosen, typed, roles, models, nameOf]);
  const filtered = shown.roles.length < roles.length || shown.models.length < models.length;
  return { chosen, typed, setTyped, set, shown, filtered };
};

type Filter = ReturnType<typeof usePermissionFilter>;

interface WordsProps {
  readonly name: 'roles' | 'models';
  readonly label: string;
  readonly options: readonly string[];
  readonly labelOf?: (option: string) => string;
  readonly filter: Filter;
}

/** An input of names: chosen from the list, or typed in part. */
const Words = ({ name, label, options, labelOf = (option) => option, filter }: WordsProps) => {
  const text = useText();
  const { chosen, typed, setTyped, set } = filter;
  return (
    <Autocomplete
      multiple
      freeSolo
      size="small"
      options={options}
      value={chosen[name]}
      inputValue={typed[name]}
      onInputChange={(_event, value) => setTyped((now) => ({ ...now, [name]: value.replaceAll(',', '') }))}
      onChange={(_event, words) => set(name, words.join(','))}
      // The address also takes words typed before the field loses the focus.
      onBlur={() => {
        const word = typed[name].trim();
        if (word !== '') set(name, [...new Set([...chosen[name], word])].join(','));
        setTyped((now) => ({ ...now, [name]: '' }));
      }}
      getOptionLabel={labelOf}
      clearText={text('common.clear')}
      limitTags={3}
      sx={{ flex: '1 1 220px', minWidth: 0, maxWidth: { sm: 420 } }}
      renderInput={(parameters) => <TextField {...parameters} label={label} margin="none" />}
    />
  );
};

interface PermissionFilterProps {
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
  readonly nameOf: (model: string) => string;
  readonly filter: Filter;
}

export const PermissionFilter = ({ roles, models, nameOf, filter }: PermissionFilterProps) => {
  const text = useText();
  const { chosen, set, shown } = filter;
  return (
    <Stack direction="row" sx={{ gap: 1.5, flexWrap: 'wrap', alignItems: 'flex-end' }}>
      <Words name="roles" label={text('permissions.filterRoles')} options={roles} filter={filter} />
      <Words
        name="models"
        label={text('permissions.filterModels')}
        options={models.map(({ model }) => model)}
        labelOf={nameOf}
        filter={filter}
      />
      <FormControlLabel
        control={
          <Switch
            size="small"
            checked={chosen.checked}
            onChange={(event) => set('checked', event.target.checked ? '1' : '')}
          />
        }
        label={text('permissions.onlyChecked')}
        sx={{ mr: 0, ml: 0, minHeight: 32 }}
        slotProps={{ typography: { variant: 'body2' } }}
      />
      <span role="status" style={{ marginInlineStart: 'auto', fontSize: 13, lineHeight: '32px' }}>
        {text('permissions.size', { roles: shown.roles.length, models: shown.models.length })}
      </span>
    </Stack>
  );
};
