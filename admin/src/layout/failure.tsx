import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Failed } from '../parts/failed.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf } from '../parts/problem.ts';
import { useText } from '../texts/provider.ts';
import { Waiting } from './waiting.tsx';

/** The list of a record's page: `/records/books` of `/records/books/3/show`. */
const listOf = (pathname: string): string => {
  const [first = '', second = ''] = pathname.split('/').filter((part) => part !== '');
  return first === 'records' ? `/records/${second}` : `/${first}`;
};

/** Replaces the page of a record that does not exist. */
export const RecordNotFound = () => {
  const text = useText();
  const { pathname } = useLocation();
  return (
    <Page title={text('problem.missing.title')} lead={text('problem.missing.lead')}>
      <LinkButton to={listOf(pathname)} variant="contained">
        {text('common.toList')}
      </LinkButton>
    </Page>
  );
};

/** Replaces a page that failed to render, or whose scripts could not be loaded. */
export const BrokenPage = ({ error, onRetry }: Parameters<typeof Failed>[0]) => {
  const text = useText();
  return (
    <Page title={text('problem.title')}>
      <Failed error={error} onRetry={onRetry} />
    </Page>
  );
};

/** Replaces a page whose data could not be loaded: the reason, and a way on. */
export const FailurePage = ({ error }: { readonly error: unknown }) => {
  const { status } = failureOf(error);
  return status === 404 || status === 400 ? <RecordNotFound /> : <BrokenPage error={error} />;
};

interface LoadedProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown };
  readonly children: (data: Data) => ReactNode;
}

/** Renders loaded data; until then a placeholder, or the reason of a failure. */
export const Loaded = <Data,>({ query: { data, error }, children }: LoadedProps<Data>) => {
  if (error) return <FailurePage error={error} />;
  return data === undefined ? <Waiting /> : children(data);
};
