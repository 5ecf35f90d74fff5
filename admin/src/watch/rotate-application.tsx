import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { OverlapPicker, usualOverlap } from '../parts/overlap.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

/** 32 random bytes, lowercase hex: made here, as no response of the service ever contains a secret of an application. */
const newSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

interface RotateApplicationProps {
  readonly appId: string;
  readonly onClose: () => void;
}

/** Gives an application another secret; for a while both sign, so that its operator can change it without a gap. */
export const RotateApplication = ({ appId, onClose }: RotateApplicationProps) => {
  const text = useText();
  const changed = useChanged();
  const [overlap, setOverlap] = useState(usualOverlap);
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return (
      <ShownOnce
        title={text('day.applications.rotatedTitle', { name: appId })}
        lead={text('day.applications.secretLead')}
        secrets={[[text('webhooks.secret'), secret]]}
        kept={text('day.applications.kept')}
        onClose={onClose}
      />
    );
  return (
    <DialogForm
      title={text('day.applications.rotateTitle', { name: appId })}
      lead={text('day.applications.rotateLead')}
      action={text('webhooks.rotate')}
      dangerous={overlap === 0}
      isChanged={false}
      fields={['overlap']}
      onSubmit={async () => {
        const made = newSecret();
        const path = `/admin/applications/${encodeURIComponent(appId)}/rotate`;
        await send('POST', path, { body: { secret: made, overlap } });
        setSecret(made);
        await changed(text('day.applications.rotated', { name: appId }));
      }}
      onDone={() => {}}
      onClose={onClose}
    >
      {(errors) => <OverlapPicker value={overlap} onChange={setOverlap} error={errors['overlap']} />}
    </DialogForm>
  );
};
