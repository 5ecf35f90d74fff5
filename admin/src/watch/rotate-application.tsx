/** The dialogs that replace the secret or the public key of an application. */

import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { OverlapPicker, usualOverlap } from '../parts/overlap.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

/**
 * 32 random bytes in lowercase hex, created here: no response of the service ever contains a secret of an application.
 */
const newSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

interface RotateApplicationProps {
  readonly appId: string;
  readonly onClose: () => void;
}

/**
 * Replaces the secret of an application. During the overlap both are valid, so that its operator can switch without a
 * gap.
 */
export const RotateApplication = ({ appId, onClose }: RotateApplicationProps) => {
  const text = useText();
  const changed = useChanged();
  const [overlap, setOverlap] = useState(usualOverlap);
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return (
      <ShownOnce
        title={text('applications.rotatedTitle', { name: appId })}
        lead={text('applications.secretLead')}
        secrets={[[text('webhooks.secret'), secret]]}
        kept={text('applications.confirmStored')}
        onClose={onClose}
      />
    );
  return (
    <DialogForm
      title={text('applications.rotateTitle', { name: appId })}
      lead={text('applications.rotateLead')}
      action={text('webhooks.rotate')}
      dangerous={overlap === 0}
      isChanged={false}
      fields={['overlap']}
      onSubmit={async () => {
        const made = newSecret();
        const path = `/admin/applications/${encodeURIComponent(appId)}/rotate`;
        await send('POST', path, { body: { secret: made, overlap } });
        setSecret(made);
        await changed(text('applications.rotated', { name: appId }));
      }}
      onDone={() => {}}
      onClose={onClose}
    >
      {(errors) => <OverlapPicker value={overlap} onChange={setOverlap} error={errors['overlap']} />}
    </DialogForm>
  );
};

/** The line between the marks of a PEM file; other texts as they are, which the service refuses. */
const lineOf = (pem: string): string =>
  pem.replace(/-----BEGIN PUBLIC KEY-----|-----END PUBLIC KEY-----/g, '').replaceAll(/\s/g, '');

/** Replaces the public key of an application; during the overlap both are valid. */
export const ReplacePublicKey = ({ appId, onClose }: RotateApplicationProps) => {
  const text = useText();
  const changed = useChanged();
  const [overlap, setOverlap] = useState(usualOverlap);
  const [pem, setPem] = useState('');
  return (
    <DialogForm
      title={text('applications.keyTitle', { name: appId })}
      lead={text('applications.keyLead')}
      action={text('applications.replaceKey')}
      dangerous={overlap === 0}
      disabled={pem.trim() === ''}
      isChanged={pem !== ''}
      fields={['overlap', 'public_key']}
      onSubmit={async () => {
        const path = `/admin/applications/${encodeURIComponent(appId)}/public_key`;
        await send('POST', path, { body: { public_key: lineOf(pem), overlap } });
        await changed(text('applications.keyReplaced', { name: appId }));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField
            multiline
            minRows={3}
            label={text('applications.newKey')}
            value={pem}
            onChange={(event) => setPem(event.target.value)}
            error={errors['public_key'] !== undefined}
            helperText={errors['public_key']}
            slotProps={{ htmlInput: { spellCheck: false } }}
          />
          <OverlapPicker value={overlap} onChange={setOverlap} error={errors['overlap']} />
        </>
      )}
    </DialogForm>
  );
};
