import type { ThemeOptions } from '@mui/material/styles';

const fontFamily =
  'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';

/** Wide enough for figures and keys to stand under each other. */
export const monospace = 'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "Noto Sans Mono", monospace';

const shared = {
  typography: {
    fontFamily,
    fontSize: 14,
    h1: { fontSize: '1.5rem', fontWeight: 650, letterSpacing: '-0.01em', lineHeight: 1.3 },
    h2: { fontSize: '1.0625rem', fontWeight: 650, lineHeight: 1.4 },
    h3: { fontSize: '0.9375rem', fontWeight: 650 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  shape: { borderRadius: 10 },
} as const satisfies ThemeOptions;

interface Colours {
  readonly mode: 'light' | 'dark';
  readonly line: string;
  readonly head: string;
  /** Of what is not chosen. */
  readonly text: string;
  readonly palette: Required<ThemeOptions>['palette'];
}

const themed = ({ mode, line, head, text, palette }: Colours): ThemeOptions => ({
  ...shared,
  palette: { ...palette, mode, divider: line },
  components: {
    MuiButton: { defaultProps: { disableElevation: true } },
    MuiButtonBase: {
      styleOverrides: { root: { '&.Mui-focusVisible': { outline: '2px solid', outlineOffset: 2 } } },
    },
    MuiPaper: {
      defaultProps: { elevation: 0 },
      styleOverrides: { root: { backgroundImage: 'none' }, outlined: { borderColor: line } },
    },
    MuiTextField: { defaultProps: { variant: 'outlined', size: 'small', fullWidth: true, margin: 'dense' } },
    MuiFormControl: {
      defaultProps: { variant: 'outlined', size: 'small', fullWidth: true, margin: 'dense' },
    },
    MuiTooltip: { defaultProps: { arrow: true, enterDelay: 400 } },
    MuiTableCell: {
      styleOverrides: {
        root: { borderColor: line, paddingBlock: 9 },
        head: { background: head, fontWeight: 600, whiteSpace: 'nowrap' },
      },
    },
    MuiChip: { styleOverrides: { root: { fontWeight: 550 } } },
    MuiAlert: { styleOverrides: { root: { alignItems: 'center' } } },
    MuiDialog: { styleOverrides: { paper: { border: `1px solid ${line}` } } },
    MuiToggleButton: { styleOverrides: { root: { color: text } } },
  },
});

export const lightTheme = themed({
  mode: 'light',
  line: '#dfe3df',
  head: '#f1f4f1',
  text: '#55605c',
  palette: {
    primary: { main: '#23606a', dark: '#184850', light: '#e2eeee', contrastText: '#ffffff' },
    secondary: { main: '#7a4d00', contrastText: '#ffffff' },
    error: { main: '#b3261e' },
    warning: { main: '#8a5200' },
    success: { main: '#1d6b3c' },
    info: { main: '#23606a' },
    background: { default: '#f6f7f5', paper: '#ffffff' },
    text: { primary: '#1b2321', secondary: '#55605c' },
  },
});

export const darkTheme = themed({
  mode: 'dark',
  line: '#2f3739',
  head: '#20272a',
  text: '#a3aeaa',
  palette: {
    primary: { main: '#84cdd0', dark: '#5fb0b4', light: '#1f3a3d', contrastText: '#0d2124' },
    secondary: { main: '#eec06b', contrastText: '#2b1d00' },
    error: { main: '#ff9c94' },
    warning: { main: '#f1bd62' },
    success: { main: '#82d3a1' },
    info: { main: '#84cdd0' },
    background: { default: '#14181a', paper: '#1a2022' },
    text: { primary: '#e6ebe9', secondary: '#a3aeaa' },
  },
});
