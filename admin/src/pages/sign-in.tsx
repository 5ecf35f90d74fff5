/** The page of the sign-in. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useNotificationContext } from 'ra-core';
import { useLocation, useNavigate } from 'react-router';
import { basePath } from '../base.ts';
import { offers } from '../offered.ts';
import { forgetModels } from '../service.ts';
import { useOutsideTexts } from '../texts/outside.ts';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { OutsidePage } from './outside-page.tsx';
import { ProviderButtons, useProviderResult } from './providers.tsx';
import { SignInForm } from './sign-in-form.tsx';

type Stated = 'nextPathname' | 'nextSearch';

const textIn = (state: unknown, name: Stated): string => {
  if (typeof state !== 'object' || state === null) return '';
  const found = Object.entries(state).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
};

/** The requested page. A path with two slashes at its start would be another host to the router. */
const destinationOf = (state: unknown): string =>
  textIn(state, 'nextPathname').replace(/^[\\/]+/, '/') + textIn(state, 'nextSearch');

/** A link to a page of users, outside of the administration area. */
const AccountLink = ({ page, children }: { readonly page: string; readonly children: string }) => (
  <Button href={`${basePath}/account/${page}`}>{children}</Button>
);

/** The sign-in page; a requested page follows afterwards. */
export const SignIn = () => {
  const text = useText();
  const navigate = useNavigate();
  const { state } = useLocation();
  const { resetNotifications } = useNotificationContext();
  usePageLanguage();
  const enter = async (): Promise<void> => {
    forgetModels();
    resetNotifications();
    await navigate(destinationOf(state) || '/');
  };
  const own = useOutsideTexts();
  const returned = useProviderResult();
  return (
    <OutsidePage title={text('signIn.title')}>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('signIn.lead')}</Typography>
      {returned.failed ? (
        <Alert severity="error" sx={{ mb: 1 }}>
          {own.providerFailed}
        </Alert>
      ) : null}
      <SignInForm providerCode={returned.code} onSignedIn={enter}>
        {offers('providers') ? <ProviderButtons /> : null}
        {offers('mail') ? <AccountLink page="password_reset">{own.forgot}</AccountLink> : null}
        {offers('registration') ? <AccountLink page="register">{own.registerElsewhere}</AccountLink> : null}
      </SignInForm>
    </OutsidePage>
  );
};
