import Paper from '@mui/material/Paper';
import type { ComponentProps, ReactNode } from 'react';
import { Page } from '../parts/page.tsx';

interface FormPageProps extends Pick<ComponentProps<typeof Page>, 'title' | 'within'> {
  readonly children: ReactNode;
}

export const FormPage = ({ title, within, children }: FormPageProps) => (
  <Page title={title} within={within}>
    <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
      {children}
    </Paper>
  </Page>
);
