import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { DialogForm } from './dialog-form.tsx';

/** Letters of a view's name, as the service takes them. */
const longest = 60;

interface ViewNameProps {
  readonly title: string;
  readonly first: string;
  /** @throws what the service refuses */
  readonly onSave: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export const ViewName = ({ title, first, onSave, onClose }: ViewNameProps) => {
  const text = useText();
  const [name, setName] = useState(first);
  return (
    <DialogForm
      title={title}
      action={text('common.save')}
      disabled={name.trim() === ''}
      isChanged={name !== first}
      fields={['name']}
      onSubmit={() => onSave(name.trim())}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <TextField
          label={text('views.name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={errors['name'] !== undefined}
          helperText={errors['name'] ?? text('views.help')}
          autoFocus
          slotProps={{ htmlInput: { maxLength: longest } }}
        />
      )}
    </DialogForm>
  );
};
