import DarkIcon from '@mui/icons-material/DarkModeOutlined';
import LightIcon from '@mui/icons-material/LightModeOutlined';
import LanguageIcon from '@mui/icons-material/TranslateOutlined';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useLocaleState, useTheme } from 'react-admin';
import { askBefore } from '../parts/unsaved.ts';
import { languages, useText } from '../texts/provider.ts';

/** Language and theme; both stay in this browser. */
export const Preferences = () => {
  const text = useText();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useTheme();
  const other = languages.find((language) => language.locale !== locale);
  const themeLabel = text(theme === 'dark' ? 'menu.light' : 'menu.dark');
  return (
    <>
      {other === undefined ? null : (
        <Tooltip title={other.name}>
          <IconButton
            color="inherit"
            lang={other.locale}
            aria-label={other.name}
            // Another language draws the whole page anew.
            onClick={() => askBefore(() => setLocale(other.locale))}
          >
            <LanguageIcon fontSize="small" />
          </IconButton>
        </Tooltip>
      )}
      <Tooltip title={themeLabel}>
        <IconButton
          color="inherit"
          aria-label={themeLabel}
          onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
        >
          {theme === 'dark' ? <LightIcon fontSize="small" /> : <DarkIcon fontSize="small" />}
        </IconButton>
      </Tooltip>
    </>
  );
};
