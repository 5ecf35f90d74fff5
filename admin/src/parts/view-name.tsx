import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useText } from '../texts/provider.ts';
import { DialogForm } from './dialog-form.tsx';
import type { NamedView } from './saved-view.ts';

/** Maximum length of a view's name, as in the service. */
const maxLength = 60;

interface ViewNameProps {
  readonly title: string;
  readonly first: NamedView;
  /** @throws the refusal of the service */
  readonly onSave: (view: NamedView) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of a view, and for sharing it. */
export const ViewName = ({ title, first, onSave, onClose }: ViewNameProps) => {
  const text = useText();
  const [name, setName] = useState(first.name);
  const [shared, setShared] = useState(first.shared);
  return (
    <DialogForm
      title={title}
      action={text('common.save')}
      disabled={name.trim() === ''}
      isChanged={name !== first.name || shared !== first.shared}
      fields={['name']}
      onSubmit={() => onSave({ name: name.trim(), shared })}
      onDone={onClose}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField
            label={text('views.name')}
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={errors['name'] !== undefined}
            helperText={errors['name'] ?? text('views.help')}
            autoFocus
            slotProps={{ htmlInput: { maxLength: maxLength } }}
          />
          <FormControlLabel
            control={<Switch checked={shared} onChange={(_event, on) => setShared(on)} />}
            label={text('views.share')}
          />
        </>
      )}
    </DialogForm>
  );
};
