import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useLogout } from 'ra-core';
import { useEffect, useState } from 'react';
import { OutsidePage } from '../pages/outside-page.tsx';
import { useSentence, useTell } from '../parts/problem.ts';
import { renewSession } from '../service.ts';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { FactorDialogs, type FactorStep } from './factor-dialogs.tsx';
import { countOf, useFactors } from './factors.ts';
import { canUsePasskeys } from './passkey.ts';

/** Replaces every page while an administrator must set up a second factor first. */
export const FactorFirst = () => {
  const text = useText();
  const tell = useTell();
  const sentence = useSentence();
  const logout = useLogout();
  const { data: factors, error } = useFactors();
  const [step, setStep] = useState<FactorStep>({ kind: 'none' });
  usePageLanguage();
  // True once a factor is set up, here or on another page, and no one-time secret is shown any more.
  const done = factors !== undefined && countOf(factors) > 0 && step.kind === 'none';
  useEffect(() => {
    if (done) renewSession().catch(tell);
  }, [done, tell]);

  const byPasskey = factors?.passkeys_possible === true && canUsePasskeys();
  return (
    <OutsidePage title={text('factor.first.title')}>
      <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text('factor.first.lead')}</Typography>
      {error === null ? null : <Alert severity="error">{sentence(error)}</Alert>}
      <Stack sx={{ gap: 1 }}>
        <Button
          variant="contained"
          size="large"
          disabled={factors === undefined || done}
          onClick={() => setStep({ kind: 'begin-totp' })}
        >
          {text('factor.totp.setUp')}
        </Button>
        {byPasskey ? (
          <Button
            variant="outlined"
            size="large"
            disabled={done}
            onClick={() => setStep({ kind: 'add-passkey' })}
          >
            {text('factor.passkey.add')}
          </Button>
        ) : null}
        <Button onClick={() => void logout()}>{text('menu.signOut')}</Button>
      </Stack>
      <FactorDialogs step={step} onStep={setStep} />
    </OutsidePage>
  );
};
