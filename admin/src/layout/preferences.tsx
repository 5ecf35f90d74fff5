import IconButton from '@mui/material/IconButton';
import { useLocaleState } from 'ra-core';
import { Icon } from '../parts/icon.tsx';
import { askBefore } from '../parts/unsaved.ts';
import { languages, useText } from '../texts/provider.ts';
import { useThemeMode } from './theme-mode.tsx';

/** Buttons for language and theme, stored in this browser. */
export const Preferences = () => {
  const text = useText();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useThemeMode();
  const other = languages.find((language) => language.locale !== locale);
  const themeLabel = text(theme === 'dark' ? 'menu.light' : 'menu.dark');
  return (
    <>
      {other === undefined ? null : (
        <IconButton
          color="inherit"
          lang={other.locale}
          aria-label={other.name}
          title={other.name}
          // A change of the language renders the page again and loses its input.
          onClick={() => askBefore(() => setLocale(other.locale))}
        >
          <Icon name="globe" fontSize="small" />
        </IconButton>
      )}
      <IconButton
        color="inherit"
        aria-label={themeLabel}
        title={themeLabel}
        onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
      >
        {theme === 'dark' ? <Icon name="sun" fontSize="small" /> : <Icon name="moon" fontSize="small" />}
      </IconButton>
    </>
  );
};
