import Typography from '@mui/material/Typography';
import { useNotificationContext } from 'react-admin';
import { useLocation, useNavigate } from 'react-router';
import { forgetModels } from '../service.ts';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { OutsidePage } from './outside-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

const textIn = (state: unknown, name: 'nextPathname' | 'nextSearch'): string => {
  if (typeof state !== 'object' || state === null) return '';
  const found = Object.entries(state).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
};

/** Where the link pointed; what begins with two slashes would be an address of another host to the router. */
const destinationOf = (state: unknown): string =>
  textIn(state, 'nextPathname').replace(/^[\\/]+/, '/') + textIn(state, 'nextSearch');

/** Sign-in. Whoever came by a link gets to it afterwards. */
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
  return (
    <OutsidePage title={text('signIn.title')}>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('signIn.lead')}</Typography>
      <SignInForm onSignedIn={enter} />
    </OutsidePage>
  );
};
