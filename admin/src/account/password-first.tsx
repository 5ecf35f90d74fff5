import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useLogout } from 'ra-core';
import { OutsidePage } from '../pages/outside-page.tsx';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { OwnPasswordForm } from './own-password-form.tsx';

/** In the place of every page, while an administrator asks that the password be changed before anything else. */
export const PasswordFirst = () => {
  const text = useText();
  const logout = useLogout();
  usePageLanguage();
  return (
    <OutsidePage title={text('account.firstTitle')}>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('account.firstLead')}</Typography>
      <OwnPasswordForm onDone={() => {}}>
        <Button onClick={() => void logout()}>{text('menu.signOut')}</Button>
      </OwnPasswordForm>
    </OutsidePage>
  );
};
