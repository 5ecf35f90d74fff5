/** The page on which a user sets a password by a link. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { OutsidePage } from '../pages/outside-page.tsx';
import { signInPathFor } from '../pages/sign-in.tsx';
import { LinkButton } from '../parts/link.tsx';
import { useSentence } from '../parts/problem.ts';
import { Time } from '../parts/time.tsx';
import { send } from '../service.ts';
import { filled, useOutsideTexts } from '../texts/outside.ts';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { NewPasswordForm } from './new-password-form.tsx';
import { type Invited, useInvitation } from './use-invitation.ts';

interface Person {
  readonly username: string;
  readonly roles: readonly string[];
}

const isAdministrator = ({ roles }: Person): boolean => roles.includes(superAdmin) || roles.includes('admin');

/** The page on which a user sets a password by a link. It ignores the user who is signed in to this browser. */
export const InvitationPage = () => {
  const { state, retry, refuse, settle } = useInvitation();
  const navigate = useNavigate();
  usePageLanguage();

  const setPassword = async (token: string, password: string): Promise<() => void> => {
    try {
      const { data } = await send<Person>('POST', '/admin/invitation', { body: { token, password } });
      return () => {
        if (isAdministrator(data)) void navigate('/login', { state: signInPathFor(data.username) });
        else settle(data.username);
      };
    } catch (error) {
      if (refuse(error)) return () => {};
      throw error;
    }
  };

  switch (state.kind) {
    case 'incomplete':
      return <Incomplete />;
    case 'looking':
      return <Looking />;
    case 'failed':
      return <Unanswered error={state.error} onRetry={retry} />;
    case 'over':
      return <Over error={state.error} />;
    case 'used':
      return <Used username={state.username} />;
    case 'open':
      return (
        <Open invited={state.invited}>
          <NewPasswordForm
            key={state.token}
            username={state.invited.username}
            onSubmit={(password) => setPassword(state.token, password)}
          />
        </Open>
      );
  }
};

const Open = ({ invited, children }: { readonly invited: Invited; readonly children: ReactNode }) => {
  const own = useOutsideTexts();
  const { username, name, email, expires_at } = invited;
  const more = [name === username ? '' : name, email ?? ''].filter((word) => word !== '');
  return (
    <OutsidePage title={own.invitation.title}>
      <Typography sx={{ overflowWrap: 'anywhere' }}>
        {filled(own.invitation.forWhom, { name: username })}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary', mb: 1, overflowWrap: 'anywhere' }}>
        {more.join(' · ')}
        <br />
        {own.invitation.until} <Time value={expires_at} format="zoned" />
      </Typography>
      {children}
    </OutsidePage>
  );
};

const Looking = () => {
  const own = useOutsideTexts();
  return (
    <OutsidePage title={own.invitation.title}>
      <Typography role="status" sx={{ color: 'text.secondary' }}>
        {own.invitation.loading}
      </Typography>
    </OutsidePage>
  );
};

const Incomplete = () => {
  const own = useOutsideTexts();
  return (
    <OutsidePage title={own.invitation.incompleteTitle}>
      <Alert severity="warning">{own.invitation.incomplete}</Alert>
      <ToSignIn />
    </OutsidePage>
  );
};

const Over = ({ error }: { readonly error: unknown }) => {
  const own = useOutsideTexts();
  const sentence = useSentence();
  return (
    <OutsidePage title={own.invitation.over}>
      <Alert severity="error">{sentence(error)}</Alert>
      <Typography sx={{ my: 1 }}>{own.invitation.askAnother}</Typography>
      <ToSignIn />
    </OutsidePage>
  );
};

const Unanswered = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => {
  const text = useText();
  const own = useOutsideTexts();
  const sentence = useSentence();
  return (
    <OutsidePage title={own.invitation.title}>
      <Alert severity="warning">{sentence(error)}</Alert>
      <Button variant="contained" size="large" onClick={onRetry} sx={{ mt: 1 }}>
        {text('problem.retry')}
      </Button>
    </OutsidePage>
  );
};

const Used = ({ username }: { readonly username: string }) => {
  const own = useOutsideTexts();
  return (
    <OutsidePage title={own.invitation.done}>
      <Alert severity="success">{filled(own.invitation.doneLead, { name: username })}</Alert>
    </OutsidePage>
  );
};

const ToSignIn = () => {
  const own = useOutsideTexts();
  return <LinkButton to="/login">{own.invitation.toSignIn}</LinkButton>;
};
