/** The theme of the pages: colours and sizes are variables of the page's own style sheet. */

import { createTheme, type ThemeOptions } from '@mui/material/styles';
import { shapes } from './theme-shapes.tsx';

/** `docs-page/tokens.css` defines colours and sizes; a colour follows the theme of the page by itself. */
export const monospace = 'var(--mono)';

const type = (size: string, fontWeight = 400) => ({
  fontSize: `var(--${size})`,
  lineHeight: `var(--${size}-line)`,
  letterSpacing: 0,
  fontWeight,
});

const typography: ThemeOptions['typography'] = {
  fontFamily: 'var(--sans)',
  fontSize: 14,
  fontWeightMedium: 500,
  fontWeightBold: 600,
  h1: { ...type('title', 600), letterSpacing: '-0.01em' },
  h2: type('section', 600),
  h3: type('body', 600),
  h4: type('figure', 600),
  body1: type('body'),
  body2: type('small'),
  caption: type('meta'),
  button: { ...type('small', 500), textTransform: 'none' },
};

const colour = (name: string, on = '--on-accent') => ({
  main: `var(--${name})`,
  light: `var(--${name})`,
  dark: `var(--${name})`,
  contrastText: `var(${on})`,
});

const palette: ThemeOptions['palette'] = {
  primary: { ...colour('accent'), dark: 'var(--accent-dark)', light: 'var(--accent-soft)' },
  secondary: colour('lantern'),
  error: colour('danger', '--on-danger'),
  warning: colour('lantern'),
  success: colour('good'),
  info: colour('accent'),
  background: { default: 'var(--page)', paper: 'var(--ground)' },
  text: { primary: 'var(--text)', secondary: 'var(--dim)', disabled: 'var(--faint)' },
  divider: 'var(--line)',
  action: {
    active: 'var(--dim)',
    hover: 'var(--raised)',
    selected: 'var(--accent-soft)',
    focus: 'var(--raised)',
    disabled: 'var(--faint)',
    disabledBackground: 'var(--raised)',
  },
};

/** One theme for light and dark: every colour is a variable that the theme of the page defines. */
export const theme = createTheme({
  cssVariables: { nativeColor: true, disableCssColorScheme: true },
  typography,
  palette,
  shape: { borderRadius: 6 },
  transitions: { duration: { enteringScreen: 120, leavingScreen: 80, standard: 120, short: 100 } },
  components: shapes,
});
