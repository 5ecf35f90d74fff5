/** The page of the sign-in. */

import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { useNotificationContext } from 'ra-core';
import { useLocation, useNavigate } from 'react-router';
import { offers } from '../offered.ts';
import { LinkButton } from '../parts/link.tsx';
import { forgetModels } from '../service.ts';
import { useOutsideTexts } from '../texts/outside.ts';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { OutsidePage } from './outside-page.tsx';
import { ProviderButtons, useProviderResult } from './providers.tsx';
import { SignInForm } from './sign-in-form.tsx';

type Stated = 'nextPathname' | 'nextSearch' | 'invited';

const textIn = (state: unknown, name: Stated): string => {
  if (typeof state !== 'object' || state === null) return '';
  const found = Object.entries(state).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
};

/** The requested page. A path with two slashes at its start would be another host to the router. */
const destinationOf = (state: unknown): string =>
  textIn(state, 'nextPathname').replace(/^[\\/]+/, '/') + textIn(state, 'nextSearch');

/** State of the path to the sign-in after a password was set by a link: the form has the name already. */
export const signInPathFor = (username: string): Readonly<Partial<Record<Stated, string>>> => ({
  invited: username,
});

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
  const invited = textIn(state, 'invited');
  const own = useOutsideTexts();
  const returned = useProviderResult();
  return (
    <OutsidePage title={text('signIn.title')}>
      {invited === '' ? (
        <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('signIn.lead')}</Typography>
      ) : (
        <Alert severity="success" sx={{ mb: 1 }}>
          {own.invitation.signIn}
        </Alert>
      )}
      {returned.failed ? (
        <Alert severity="error" sx={{ mb: 1 }}>
          {own.providerFailed}
        </Alert>
      ) : null}
      <SignInForm account={invited} providerCode={returned.code} onSignedIn={enter}>
        {offers('providers') ? <ProviderButtons /> : null}
        {offers('mail') ? <LinkButton to="/password_reset">{own.forgot}</LinkButton> : null}
        {offers('registration') ? <LinkButton to="/register">{own.registerElsewhere}</LinkButton> : null}
      </SignInForm>
    </OutsidePage>
  );
};
