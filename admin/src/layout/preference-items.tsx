/** Language and theme as entries of the menu of the account. */

import ListSubheader from '@mui/material/ListSubheader';
import MenuItem from '@mui/material/MenuItem';
import { useLocaleState, useRemoveFromStore, useStore } from 'ra-core';
import { Icon } from '../parts/icon.tsx';
import { askBefore } from '../parts/unsaved.ts';
import { languages, useText } from '../texts/provider.ts';

interface ChoiceProps {
  readonly name: string;
  readonly lang?: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

const choice = ({ name, lang, chosen, onChoose }: ChoiceProps) => (
  <MenuItem
    key={name}
    lang={lang}
    role="menuitemradio"
    aria-checked={chosen}
    onClick={onChoose}
    sx={{ justifyContent: 'space-between', gap: 3 }}
  >
    {name}
    {chosen ? <Icon name="tick" fontSize="small" /> : null}
  </MenuItem>
);

const heading = (name: string) => (
  <ListSubheader key={name} role="presentation" sx={{ lineHeight: 2.25, bgcolor: 'transparent' }}>
    {name}
  </ListSubheader>
);

const themes = ['light', 'dark', undefined] as const;

/** Language and theme as menu entries, stored in this browser. Without a choice the theme follows the system. */
export const usePreferenceItems = () => {
  const text = useText();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useStore<string | undefined>('theme');
  const forget = useRemoveFromStore();
  return [
    heading(text('menu.language')),
    ...languages.map((language) =>
      choice({
        name: language.name,
        lang: language.locale,
        chosen: language.locale === locale,
        // A change of the language renders the page again and loses its input.
        onChoose: () => askBefore(() => setLocale(language.locale)),
      }),
    ),
    heading(text('menu.theme')),
    ...themes.map((each) =>
      choice({
        name: text(`menu.themes.${each ?? 'system'}`),
        chosen: theme === each,
        onChoose: () => (each === undefined ? forget('theme') : setTheme(each)),
      }),
    ),
  ];
};
