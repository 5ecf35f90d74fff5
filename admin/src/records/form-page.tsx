import Paper from '@mui/material/Paper';
import type { ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

export const FormPage = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Page title={title}>
    <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
      {children}
    </Paper>
  </Page>
);
