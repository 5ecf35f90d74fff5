import { useStore } from 'ra-core';
import { useState } from 'react';

export type Density = 'comfortable' | 'compact';

/** A control of a list that looks like the fields of forms, whose code a list does without. */
export const plainControl = {
  minHeight: 'var(--control-height)',
  borderRadius: 'var(--radius-control)',
  border: '1px solid var(--control)',
  backgroundColor: 'var(--ground)',
  color: 'inherit',
  font: 'inherit',
  fontSize: 'var(--small)',
  '&:hover': { borderColor: 'var(--dim)' },
  '&:focus-visible, &.Mui-focused': { outline: '2px solid var(--accent)', outlineOffset: -1 },
  '@media (pointer: coarse)': { minHeight: 40 },
} as const;

const nothing: readonly string[] = [];

const parameter = 'columns';

/** The columns that a link names; undefined where it names none. */
const columnsIn = (search: string): readonly string[] | undefined => {
  const names = (new URLSearchParams(search).get(parameter) ?? '').split(',').filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
};

/** An address that shows a list to others as it is shown here, its columns included. */
export const linkTo = (address: string, columns: readonly string[] | undefined): string => {
  const url = new URL(address);
  if (columns === undefined) url.searchParams.delete(parameter);
  else url.searchParams.set(parameter, columns.join(','));
  return url.href;
};

/** Names of the columns that were chosen for a list in this browser; undefined where none were chosen. */
export const useChosenColumns = (
  resource: string,
): [readonly string[] | undefined, (names: readonly string[] | undefined) => void] => {
  const [chosen, setChosen] = useStore<readonly string[]>(`columns.${resource}`, nothing);
  // Those of a link that was followed hold until others are chosen; the ones of this browser stay as they are.
  const [linked, setLinked] = useState(() => columnsIn(window.location.search));
  const names = linked ?? (Array.isArray(chosen) && chosen.length > 0 ? chosen : undefined);
  return [
    names,
    (next) => {
      setLinked(undefined);
      setChosen(next ?? nothing);
    },
  ];
};

/** How much room a row has, in all lists of this browser. */
export const useDensity = (): [Density, (density: Density) => void] => {
  const [density, setDensity] = useStore<Density>('density', 'comfortable');
  return [density === 'compact' ? 'compact' : 'comfortable', setDensity];
};
