/** The step of the sign-in that asks for a second factor. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type FormEvent, type ReactNode, type Ref, useEffect, useRef, useState } from 'react';
import type { SecondFactorAnswer, SecondFactorQuestion } from '../../../client/react-admin/auth-provider.ts';
import { problemTable } from '../../../src/kernel/problem-table.ts';
import { CodeField } from '../factor/code-field.tsx';
import { canUsePasskeys, givePasskey, PasskeyError } from '../factor/passkey.ts';
import { Icon } from '../parts/icon.tsx';
import { failureOf, severityOf, useSentence } from '../parts/problem.ts';
import { authProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface SecondStepProps {
  readonly question: SecondFactorQuestion;
  readonly onSignedIn: () => Promise<void> | void;
  /** Returns to the password, with the reason if the service asks for it again. */
  readonly onBack: (reason?: unknown) => void;
  /** Elements next to the buttons. */
  readonly children?: ReactNode;
}

type Given = Omit<SecondFactorAnswer, 'ticket'>;

type Busy = 'code' | 'passkey' | undefined;

/** Attempts of the second step: the typed code, the running attempt, and the error of the last one. */
const useAttempts = (
  ticket: string,
  onSignedIn: SecondStepProps['onSignedIn'],
  onBack: SecondStepProps['onBack'],
) => {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<Busy>();
  const [error, setError] = useState<unknown>();
  const leaving = useRef(new AbortController());
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  const attempt = async (way: 'code' | 'passkey', give: () => Promise<Given> | Given): Promise<void> => {
    setBusy(way);
    setError(undefined);
    try {
      await authProvider.login({ ticket, ...(await give()) });
      await onSignedIn();
    } catch (failure) {
      if (leaving.current.signal.aborted) return;
      if (failureOf(failure).code === problemTable.second_factor_expired) return onBack(failure);
      setError(failure);
      setBusy(undefined);
      setCode('');
      field.current?.focus();
    }
  };
  return { code, setCode, busy, error, setError, leaving, field, attempt };
};

/** The second step of a sign-in, for accounts with a second factor. */
export const SecondStep = ({ question, onSignedIn, onBack, children }: SecondStepProps) => {
  const text = useText();
  const sentence = useSentence();
  const { ticket, methods, passkey_options: options } = question;
  const byApp = methods.includes('totp');
  const byPasskey = methods.includes('passkey') && options !== undefined;
  const usable = byPasskey && canUsePasskeys();
  const [recovery, setRecovery] = useState(!byApp && !byPasskey);
  const { code, setCode, busy, error, setError, leaving, field, attempt } = useAttempts(
    ticket,
    onSignedIn,
    onBack,
  );

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    void attempt('code', () => (recovery ? { recovery_code: code.trim() } : { code }));
  };

  const asksForCode = recovery || byApp;
  return (
    <Stack component="form" noValidate onSubmit={submit} sx={{ gap: 1 }}>
      <Typography sx={{ color: 'text.secondary' }}>
        {text(
          recovery ? 'factor.step.recoveryLead' : byApp ? 'factor.step.appLead' : 'factor.step.passkeyLead',
        )}
      </Typography>
      {error === undefined ? null : (
        <Alert severity={severityOf(failureOf(error))}>
          {error instanceof PasskeyError ? text('factor.passkeyNotGiven') : sentence(error)}
        </Alert>
      )}
      {byPasskey && !usable ? <Alert severity="info">{text('factor.noPasskeysHere')}</Alert> : null}
      {usable && !recovery ? (
        <PasskeyButton
          isOnly={!byApp}
          busy={busy}
          onClick={() =>
            void attempt('passkey', async () => ({
              passkey: await givePasskey(options, leaving.current.signal),
            }))
          }
        />
      ) : null}
      {usable && byApp && !recovery ? <Divider>{text('factor.step.or')}</Divider> : null}
      {asksForCode ? (
        <CodeInput ref={field} recovery={recovery} code={code} onCode={setCode} busy={busy} />
      ) : null}
      <Stack sx={{ gap: 1 }}>
        {methods.includes('recovery_code') && (byApp || byPasskey) ? (
          <Button
            onClick={() => {
              setRecovery(!recovery);
              setCode('');
              setError(undefined);
            }}
          >
            {text(recovery ? 'factor.step.otherWay' : 'factor.step.useRecovery')}
          </Button>
        ) : null}
        <Button onClick={() => onBack()}>{text('factor.step.back')}</Button>
        {children}
      </Stack>
    </Stack>
  );
};

interface PasskeyButtonProps {
  /** True if a code is no alternative. */
  readonly isOnly: boolean;
  readonly busy: Busy;
  readonly onClick: () => void;
}

const PasskeyButton = ({ isOnly, busy, onClick }: PasskeyButtonProps) => {
  const text = useText();
  return (
    <Button
      variant={isOnly ? 'contained' : 'outlined'}
      size="large"
      startIcon={<Icon name="key" />}
      autoFocus={isOnly}
      loading={busy === 'passkey'}
      loadingPosition="start"
      disabled={busy === 'code'}
      onClick={onClick}
      sx={{ mt: 1 }}
    >
      {text('factor.step.usePasskey')}
    </Button>
  );
};

interface CodeInputProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly recovery: boolean;
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly busy: Busy;
}

/** The input of a code, and the button that submits it. */
const CodeInput = ({ ref, recovery, code, onCode, busy }: CodeInputProps) => {
  const text = useText();
  return (
    <>
      <CodeField
        key={recovery ? 'recovery' : 'app'}
        ref={ref}
        recovery={recovery}
        value={code}
        onChange={onCode}
        autoFocus
      />
      <Button
        type="submit"
        variant="contained"
        size="large"
        loading={busy === 'code'}
        disabled={busy === 'passkey' || (recovery ? code.trim() === '' : code.length !== 6)}
      >
        {text('signIn.submit')}
      </Button>
    </>
  );
};
