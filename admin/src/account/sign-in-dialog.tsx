import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useEffect } from 'react';
import { pagesPath } from '../base.ts';
import { offers } from '../offered.ts';
import { ProviderButtons } from '../pages/providers.tsx';
import { SignInForm } from '../pages/sign-in-form.tsx';
import { forsake } from '../parts/unsaved.ts';
import { lookForSession } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { SessionEnd } from './session-end.ts';

/** Loads the pages again for the signed-in user: nothing that was typed or learnt before goes with them. */
const startOver = (): void => {
  forsake();
  window.location.assign(pagesPath);
};

/** Takes up a session that has ended: what stands on the page stays, and goes on once its user has signed in again. */
export const SignInDialog = ({ end }: { readonly end: Exclude<SessionEnd, { readonly kind: 'none' }> }) => {
  const text = useText();
  useEffect(() => {
    // They may have signed in on another page of this browser, with an identity provider for example.
    const look = (): void => void lookForSession();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  const { username } = end.who;
  return (
    <Dialog open fullWidth maxWidth="xs" aria-labelledby="sign-in-again">
      <DialogTitle id="sign-in-again">{text('sessionEnd.title')}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 1 }}>
          {end.kind === 'stranger' ? (
            <Alert
              severity="warning"
              action={
                <Button color="inherit" onClick={startOver}>
                  {text('sessionEnd.startOver', { name: end.now.username })}
                </Button>
              }
              sx={{ flexWrap: 'wrap' }}
            >
              {text('sessionEnd.stranger', { name: username, now: end.now.username })}
            </Alert>
          ) : (
            <Typography sx={{ color: 'text.secondary', mb: 0.5 }}>{text('sessionEnd.lead')}</Typography>
          )}
          <SignInForm key={end.kind} account={username} onSignedIn={() => {}}>
            {offers('providers') ? <ProviderButtons elsewhere /> : null}
            {end.kind === 'stranger' ? null : (
              <Button onClick={startOver}>{text('sessionEnd.giveUp')}</Button>
            )}
          </SignInForm>
        </Stack>
      </DialogContent>
    </Dialog>
  );
};
