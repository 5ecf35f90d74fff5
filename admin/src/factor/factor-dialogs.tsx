/** The dialogs that add and remove second factors. */

import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useText } from '../texts/provider.ts';
import { AskPassword } from './ask-password.tsx';
import {
  beginTotp,
  type NewTotp,
  type Passkey,
  removePasskey,
  removeTotp,
  renewCodes,
  type WithCodes,
} from './factors.ts';
import { NewPasskey } from './new-passkey.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TotpSetup } from './totp-setup.tsx';

/** The open step. */
export type FactorStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'begin-totp' }
  | { readonly kind: 'totp'; readonly setup: NewTotp }
  | { readonly kind: 'remove-totp' }
  | { readonly kind: 'add-passkey' }
  | { readonly kind: 'remove-passkey'; readonly passkey: Passkey }
  | { readonly kind: 'renew-codes' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

interface FactorDialogsProps {
  readonly step: FactorStep;
  readonly onStep: (step: FactorStep) => void;
}

const none = { kind: 'none' } as const;

/** The dialog of each step. Steps share no input. */
export const FactorDialogs = ({ step, onStep }: FactorDialogsProps) => {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const close = (): void => onStep(none);

  const changed = async (message: 'factor.added' | 'factor.removed' | 'factor.renewed'): Promise<void> => {
    notify(text(message), { type: 'success' });
    await client.invalidateQueries();
  };

  const added = ({ recovery_codes: codes }: WithCodes): void => {
    onStep(codes === null ? none : { kind: 'codes', codes });
    void changed('factor.added');
  };

  const removeThenClose = (remove: (password: string) => Promise<void>) => async (password: string) => {
    await remove(password);
    close();
    await changed('factor.removed');
  };

  switch (step.kind) {
    case 'none':
      return null;
    case 'begin-totp':
      return (
        <AskPassword
          title={text('factor.totp.setUp')}
          lead={text('factor.passwordLead')}
          action={text('factor.continue')}
          onSubmit={async (password) => onStep({ kind: 'totp', setup: await beginTotp(password) })}
          onClose={close}
        />
      );
    case 'totp':
      return <TotpSetup setup={step.setup} onDone={added} onClose={close} />;
    case 'add-passkey':
      return <NewPasskey onDone={added} onClose={close} />;
    case 'remove-totp':
      return (
        <AskPassword
          title={text('factor.totp.removeTitle')}
          lead={text('factor.removeLead')}
          action={text('factor.remove')}
          dangerous
          onSubmit={removeThenClose(removeTotp)}
          onClose={close}
        />
      );
    case 'remove-passkey':
      return (
        <AskPassword
          title={text('factor.passkey.removeTitle', { name: step.passkey.name })}
          lead={text('factor.removeLead')}
          action={text('factor.remove')}
          dangerous
          onSubmit={removeThenClose((password) => removePasskey(step.passkey.id, password))}
          onClose={close}
        />
      );
    case 'renew-codes':
      return (
        <AskPassword
          title={text('factor.codes.renew')}
          lead={text('factor.codes.renewLead')}
          action={text('factor.codes.renew')}
          onSubmit={async (password) => {
            const { recovery_codes: codes } = await renewCodes(password);
            onStep(codes === null ? none : { kind: 'codes', codes });
            await changed('factor.renewed');
          }}
          onClose={close}
        />
      );
    case 'codes':
      return <RecoveryCodes codes={step.codes} onClose={close} />;
  }
};
