import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { lazy, Suspense, useRef, useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Secret } from '../parts/secret.tsx';
import { useText } from '../texts/provider.ts';
import { CodeField } from './code-field.tsx';
import { confirmTotp, type NewTotp, type WithCodes } from './factors.ts';

const QrCode = lazy(() => import('./qr-code.tsx').then(({ QrCode: part }) => ({ default: part })));

interface TotpSetupProps {
  readonly setup: NewTotp;
  readonly onDone: (added: WithCodes) => void;
  readonly onClose: () => void;
}

/** Shows the secret for an authenticator app and asks for its first code, which proves that the app has the secret. */
export const TotpSetup = ({ setup, onDone, onClose }: TotpSetupProps) => {
  const text = useText();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const confirm = async (): Promise<void> => {
    try {
      onDone(await confirmTotp(code));
    } catch (error) {
      setCode('');
      field.current?.focus();
      throw error;
    }
  };
  return (
    <DialogForm
      title={text('factor.totp.setUp')}
      action={text('factor.turnOn')}
      disabled={code.length !== 6}
      isChanged={false}
      fields={['code']}
      onSubmit={confirm}
      onDone={() => {}}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Typography>{text('factor.totp.scan')}</Typography>
          <Suspense fallback={<Box sx={{ height: 220 }} />}>
            <QrCode value={setup.url} label={text('factor.totp.qr')} />
          </Suspense>
          <a className="link" href={setup.url} style={{ justifySelf: 'center' }}>
            {text('factor.totp.openHere')}
          </a>
          <Secret label={text('factor.totp.secret')} value={setup.secret} />
          <Typography sx={{ mt: 0.5 }}>{text('factor.totp.confirm')}</Typography>
          <CodeField ref={field} value={code} onChange={setCode} error={errors['code']} autoFocus />
        </>
      )}
    </DialogForm>
  );
};
