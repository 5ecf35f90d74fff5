import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';

interface RenameKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'>;
  readonly onClose: () => void;
}

export const RenameKey = ({ apiKey, onClose }: RenameKeyProps) => {
  const text = useText();
  const changed = useChanged();
  const [name, setName] = useState(apiKey.name);
  return (
    <DialogForm
      title={text('keys.rename')}
      action={text('common.save')}
      isChanged={name !== apiKey.name}
      fields={['name']}
      onSubmit={async () => {
        await send('PATCH', `/admin/api_keys/${apiKey.id}`, { body: { api_key: { name } } });
        await changed(text('common.saved'));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <TextField
          label={text('keys.name')}
          value={name}
          required
          autoFocus
          onChange={(event) => setName(event.target.value)}
          error={errors['name'] !== undefined}
          helperText={errors['name'] ?? text('keys.nameHelp')}
        />
      )}
    </DialogForm>
  );
};
