import { Link } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useText } from '../texts/provider.ts';

export const PageNotFound = () => {
  const text = useText();
  return (
    <Page title={text('problem.notFound.title')} lead={text('problem.notFound.lead')}>
      <Link to="/">{text('problem.notFound.back')}</Link>
    </Page>
  );
};
