import { createTheme, ThemeProvider as MuiThemeProvider } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useStore } from 'ra-core';
import type { ReactNode } from 'react';
import { darkTheme, lightTheme } from '../theme.ts';

type ThemeMode = 'light' | 'dark';

const themes = { light: createTheme(lightTheme), dark: createTheme(darkTheme) } as const;

/** The theme of this browser and its setter: the one last chosen, before that the one that the system prefers. */
export const useThemeMode = (): readonly [ThemeMode, (mode: ThemeMode) => void] => {
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  return useStore<ThemeMode>('theme', prefersDark ? 'dark' : 'light');
};

export const ThemeProvider = ({ children }: { readonly children: ReactNode }) => {
  const [mode] = useThemeMode();
  return <MuiThemeProvider theme={themes[mode]}>{children}</MuiThemeProvider>;
};
