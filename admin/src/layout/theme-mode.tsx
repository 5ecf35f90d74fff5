import { ThemeProvider as MuiThemeProvider } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useStore } from 'ra-core';
import { type ReactNode, useLayoutEffect } from 'react';
import { theme } from '../theme.ts';

type ThemeMode = 'light' | 'dark';

/** The theme of this browser and its setter. Without a choice it is the preference of the system. */
export const useThemeMode = (): readonly [ThemeMode, (mode: ThemeMode) => void] => {
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  return useStore<ThemeMode>('theme', prefersDark ? 'dark' : 'light');
};

/** The root has a chosen theme from the first paint on (`first-look.js`), and after each change. */
export const ThemeProvider = ({ children }: { readonly children: ReactNode }) => {
  const [chosen] = useStore<ThemeMode | undefined>('theme');
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (chosen === undefined) delete dataset['theme'];
    else dataset['theme'] = chosen;
  }, [chosen]);
  return (
    <MuiThemeProvider theme={theme} storageManager={null}>
      {children}
    </MuiThemeProvider>
  );
};
