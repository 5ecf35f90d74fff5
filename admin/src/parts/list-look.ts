import { useStore } from 'ra-core';

export type Density = 'comfortable' | 'compact';

const nothing: readonly string[] = [];

/** Names of the columns that were chosen for a list in this browser; undefined where none were chosen. */
export const useChosenColumns = (
  resource: string,
): [readonly string[] | undefined, (names: readonly string[] | undefined) => void] => {
  const [chosen, setChosen] = useStore<readonly string[]>(`columns.${resource}`, nothing);
  const names = Array.isArray(chosen) && chosen.length > 0 ? chosen : undefined;
  return [names, (next) => setChosen(next ?? nothing)];
};

/** How much room a row has, in all lists of this browser. */
export const useDensity = (): [Density, (density: Density) => void] => {
  const [density, setDensity] = useStore<Density>('density', 'comfortable');
  return [density === 'compact' ? 'compact' : 'comfortable', setDensity];
};
