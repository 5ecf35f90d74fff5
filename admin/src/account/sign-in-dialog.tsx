/** The dialog that signs in again over a page after the end of its session. */

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
import { discardUnsaved } from '../parts/unsaved.ts';
import { lookForSession } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { SessionEnd } from './session-end.ts';

/** Reloads the pages for the signed-in user: no input and no data of the previous user remain. */
const startOver = (): void => {
  discardUnsaved();
  window.location.assign(pagesPath);
};

/** Signs in again after the end of a session. The page keeps its input and continues once its user has signed in. */
export const SignInDialog = ({ end }: { readonly end: Exclude<SessionEnd, { readonly kind: 'none' }> }) => {
  const text = useText();
  useEffect(() => {
    // The user may have signed in on another page of this browser, for example with an identity provider.
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
