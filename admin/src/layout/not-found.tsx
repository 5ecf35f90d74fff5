import { Link } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useText } from '../texts/provider.ts';

export const PageNotFound = () => {
  const text = useText();
  return (
    <Page title={text('notFound.title')} lead={text('notFound.lead')}>
      <Link to="/">{text('notFound.back')}</Link>
    </Page>
  );
};
