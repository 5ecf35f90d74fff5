import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { Page } from '../parts/page.tsx';
import { failureOf, sentenceOf } from '../parts/problem.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { PageNotFound } from './not-found.tsx';

/** In the place of a page whose record could not be had: what went wrong, and a way on. */
export const FailurePage = ({ error }: { readonly error: unknown }) => {
  const text = useText();
  const language = useLanguage();
  const { status } = failureOf(error);
  if (status === 404 || status === 400) return <PageNotFound />;
  return (
    <Page title={text('problem.title')} narrow>
      <Alert
        severity="error"
        action={<Button onClick={() => window.location.reload()}>{text('common.reload')}</Button>}
      >
        {sentenceOf(error, language, text)}
      </Alert>
    </Page>
  );
};
