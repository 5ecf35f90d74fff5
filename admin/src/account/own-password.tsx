import Paper from '@mui/material/Paper';
import { useNavigate } from 'react-router';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useText } from '../texts/provider.ts';
import { OwnPasswordForm } from './own-password-form.tsx';

/** One's own password. */
export const OwnPassword = () => {
  const text = useText();
  const navigate = useNavigate();
  return (
    <Page title={text('account.changePassword')} lead={text('account.changeLead')} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <OwnPasswordForm onDone={() => void navigate('/')}>
          <LinkButton to="/">{text('common.cancel')}</LinkButton>
        </OwnPasswordForm>
      </Paper>
    </Page>
  );
};
