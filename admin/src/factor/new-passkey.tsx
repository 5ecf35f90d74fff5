import TextField from '@mui/material/TextField';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../texts/provider.ts';
import { browserOf } from '../watch/user-agent.ts';
import { AskPassword } from './ask-password.tsx';
import { addPasskey, beginPasskey, type WithCodes } from './factors.ts';
import { makePasskey } from './passkey.ts';

interface NewPasskeyProps {
  readonly onDone: (added: WithCodes) => void;
  readonly onClose: () => void;
}

/** Creates a passkey under a recognisable name. */
export const NewPasskey = ({ onDone, onClose }: NewPasskeyProps) => {
  const text = useText();
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? '');
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  const add = async (password: string): Promise<void> => {
    const options = await beginPasskey(password);
    const response = await makePasskey(options, leaving.current.signal);
    onDone(await addPasskey(name.trim() === '' ? text('factor.passkey.one') : name.trim(), response));
  };

  return (
    <AskPassword
      title={text('factor.passkey.add')}
      lead={text('factor.passkey.addLead')}
      action={text('factor.continue')}
      onSubmit={add}
      onClose={onClose}
    >
      <TextField
        label={text('factor.passkey.name')}
        value={name}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
        helperText={text('factor.passkey.nameHelp')}
        slotProps={{ htmlInput: { maxLength: 100 } }}
      />
    </AskPassword>
  );
};
