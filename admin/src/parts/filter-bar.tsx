/** The search and the conditions of a list, above it. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import InputBase from '@mui/material/InputBase';
import Popover from '@mui/material/Popover';
import Stack from '@mui/material/Stack';
import { useListContext, useNotify } from 'ra-core';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { findKey, isWholeKey } from '../layout/found-records.ts';
import { ReferenceValue } from '../records/reference-value.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { isWordOperator, parseWords } from './date-words.ts';
import { type Condition, comparedModel, conditionsIn, type FilterField } from './filter-field.ts';
import { Icon } from './icon.tsx';
import { plainControl } from './list-look.ts';
import { momentText } from './moment.ts';
import { useTell } from './problem.ts';

const FilterMenu = lazy(() =>
  import('./filter-menu.tsx').then(({ FilterMenu: part }) => ({ default: part })),
);

/** Milliseconds after the last key stroke before a search starts. */
const pause = 300;

/** Opens the page of a pasted whole key, or notifies that there is none. */
const useOpenKey = (): ((key: string) => Promise<void>) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const navigate = useNavigate();
  return useCallback(
    async (key) => {
      try {
        const found = await findKey(key);
        if (found === undefined) return notify(text('list.keyNotFound'), { type: 'info' });
        const { id, revoked_at } = found;
        await navigate(revoked_at === null ? `/api_keys/${id}` : `/explain?api_key_id=${id}`);
      } catch (error) {
        tell(error);
      }
    },
    [text, tell, notify, navigate],
  );
};

const Search = () => {
  const { filterValues, setFilters } = useListContext();
  const text = useText();
  const given: string = typeof filterValues['q'] === 'string' ? filterValues['q'] : '';
  const [words, setWords] = useState(given);
  const openKey = useOpenKey();
  useEffect(() => setWords(given), [given]);
  useEffect(() => {
    if (words === given) return undefined;
    const timer = setTimeout(() => {
      // The search would put a whole key into the address; the palette finds it without.
      if (isWholeKey(words.trim())) {
        setWords('');
        void openKey(words.trim());
        return;
      }
      const { q: _old, ...others } = filterValues;
      setFilters(words === '' ? others : { ...others, q: words }, undefined);
    }, pause);
    return () => clearTimeout(timer);
  }, [words, given, filterValues, setFilters, openKey]);
  return (
    <InputBase
      type="search"
      placeholder={text('list.search')}
      value={words}
      onChange={(event) => setWords(event.target.value)}
      sx={{ ...plainControl, width: { xs: '100%', sm: 260 }, px: 1.25, gap: 1 }}
      startAdornment={<Icon name="search" sx={{ fontSize: 16, color: 'text.secondary' }} />}
      inputProps={{ 'aria-label': text('list.search'), 'aria-keyshortcuts': '/', 'data-search': '' }}
    />
  );
};

const useDescription = (): ((condition: Condition) => ReactNode) => {
  const text = useText();
  const language = useLanguage();
  return ({ field, operator, value }) => {
    const words = isWordOperator(operator) ? parseWords(value) : undefined;
    if (words !== undefined) {
      const date = words.date === undefined ? '' : momentText(language, 'date', new Date(words.date));
      return `${field.label} ${text(`filter.said.${words.word}`, { count: words.count ?? 0, date })}`;
    }
    if (isWordOperator(operator)) return `${field.label} ${value}`;
    if (operator === 'null')
      return `${field.label} ${text(value === 'true' ? 'filter.isEmpty' : 'filter.isFilled')}`;
    const model = comparedModel(field, operator);
    if (model !== undefined)
      return (
        <>
          {field.label} {text(`filter.operator.${operator}`)}{' '}
          <ReferenceValue model={model} id={Number(value)} plain />
        </>
      );
    const choice = field.choices?.find((each) => each.value === value)?.label;
    const yesNo = field.kind === 'boolean' ? text(value === 'true' ? 'common.yes' : 'common.no') : value;
    const at = field.kind === 'datetime' ? new Date(value) : undefined;
    const moment = at && !Number.isNaN(at.getTime()) ? momentText(language, 'short', at) : undefined;
    return `${field.label} ${text(`filter.operator.${operator}`)} ${choice ?? moment ?? yesNo}`;
  };
};

/** The menu is invisible when the popover opens, and invisible elements take no focus. */
const focusFirst = (popover: HTMLElement): void =>
  popover.querySelector<HTMLElement>('[role=menuitem]')?.focus();

/** The search, a chip for each condition, and a form that adds one. */
export const FilterBar = ({
  fields,
  searchable,
}: {
  readonly fields: readonly FilterField[];
  readonly searchable: boolean;
}) => {
  const { filterValues, setFilters } = useListContext();
  const describe = useDescription();
  const text = useText();
  const formId = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const conditions = conditionsIn(filterValues, fields);
  const draft = useRef<readonly [key: string, value: string]>(undefined);
  const keepDraft = useCallback((condition: readonly [string, string] | undefined): void => {
    draft.current = condition;
  }, []);

  const add = (key: string, value: string): void => {
    draft.current = undefined;
    setFilters({ ...filterValues, [key]: value }, undefined, false);
    setAnchor(null);
  };
  // A complete condition applies however the form is closed.
  const close = (): void => {
    if (draft.current === undefined) setAnchor(null);
    else add(...draft.current);
  };

  const remove = (key: string): void => {
    const { [key]: _gone, ...others } = filterValues;
    setFilters(others, undefined, false);
  };

  return (
    <Stack
      direction="row"
      sx={{ display: { xs: 'contents', sm: 'flex' }, flexWrap: 'wrap', gap: 1, alignItems: 'center' }}
    >
      {searchable ? <Search /> : null}
      {conditions.map((condition) => (
        <Chip
          key={condition.key}
          label={describe(condition)}
          onDelete={() => remove(condition.key)}
          variant="outlined"
          sx={{ maxWidth: '100%', height: 32, '@media (pointer: coarse)': { height: 40 } }}
        />
      ))}
      {fields.length === 0 ? null : (
        <Button
          startIcon={<Icon name="plus" />}
          aria-haspopup="dialog"
          aria-expanded={anchor !== null}
          aria-controls={anchor === null ? undefined : formId}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          {text('filter.add')}
        </Button>
      )}
      <Popover
        id={formId}
        open={anchor !== null}
        anchorEl={anchor}
        onClose={close}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{
          paper: { variant: 'outlined', role: 'dialog', 'aria-label': text('filter.add') },
          transition: { onEntering: focusFirst },
        }}
      >
        <Suspense fallback={<Box sx={{ width: 220, height: 120 }} />}>
          <FilterMenu fields={fields} onAdd={add} onDraft={keepDraft} />
        </Suspense>
      </Popover>
    </Stack>
  );
};
