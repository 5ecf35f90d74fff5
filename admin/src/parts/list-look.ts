import { useStore } from 'ra-core';
import { useState } from 'react';

export type Density = 'comfortable' | 'compact';

/** Style of a list's controls: it looks like the fields of forms, without their code. */
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

/** The columns in the address of a shared link; undefined if there are none. */
const columnsIn = (search: string): readonly string[] | undefined => {
  const names = (new URLSearchParams(search).get(parameter) ?? '').split(',').filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
};

/** Address of a list for a shared link, with its columns. */
export const linkTo = (address: string, columns: readonly string[] | undefined): string => {
  const url = new URL(address);
  if (columns === undefined) url.searchParams.delete(parameter);
  else url.searchParams.set(parameter, columns.join(','));
  return url.href;
};

/** Names of the columns chosen in this browser; undefined if there is no choice. */
export const useChosenColumns = (
  resource: string,
): [readonly string[] | undefined, (names: readonly string[] | undefined) => void] => {
  const [chosen, setChosen] = useStore<readonly string[]>(`columns.${resource}`, nothing);
  // Columns of a shared link apply until others are chosen; the choice of this browser stays.
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

/** Density of rows, in all lists of this browser. */
export const useDensity = (): [Density, (density: Density) => void] => {
  const [density, setDensity] = useStore<Density>('density', 'comfortable');
  return [density === 'compact' ? 'compact' : 'comfortable', setDensity];
};
