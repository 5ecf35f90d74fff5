import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type FormEvent, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { RemoveRole } from './remove-role.tsx';
import type { Role } from './role.ts';

const columns = (text: Text): OwnColumn<Role>[] => [
  {
    name: 'name',
    render: ({ name }) => (
      <Typography component="span" variant="body2" sx={{ fontWeight: 600 }}>
        <Link to={`/roles/${name}`}>{name}</Link>
      </Typography>
    ),
  },
  'users',
  {
    name: 'built_in',
    label: text('roles.kind'),
    render: ({ built_in }) => text(built_in ? 'roles.builtIn' : 'roles.own'),
  },
  { name: 'created_at', wide: false },
  {
    name: 'actions',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    has: ({ built_in }) => !built_in,
    render: (role) => (role.built_in ? <span>—</span> : <RemoveRole role={role} />),
  },
];

export const Roles = () => {
  const text = useText();
  return (
    <OwnList<Role>
      resource="roles"
      title={text('roles.title')}
      lead={text('roles.lead')}
      columns={columns(text)}
      filters={[]}
      searchable={false}
      exportable={false}
      sort={{ field: 'name', order: 'ASC' }}
      empty={text('roles.empty')}
      actions={<AddRole />}
    />
  );
};

const AddRole = () => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { saved, leave } = useUnsaved(open && name !== '');

  const close = (): void => {
    setOpen(false);
    setName('');
    setError(undefined);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send('POST', '/admin/roles', { body: { role: { name } } });
      await client.invalidateQueries();
      notify(text('common.saved'), { type: 'success' });
      saved();
      close();
    } catch (failure) {
      const found = failureOf(failure).fields['name'];
      setError(found);
      if (found === undefined) tell(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <Button variant="contained" startIcon={<Icon name="plus" />} onClick={() => setOpen(true)}>
        {text('roles.create')}
      </Button>
      <Dialog open={open} onClose={() => leave(close)} fullWidth maxWidth="xs" aria-labelledby="add-role">
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)}>
          <DialogTitle id="add-role">{text('roles.create')}</DialogTitle>
          <DialogContent>
            <TextField
              label={text('roles.name')}
              value={name}
              autoFocus
              required
              onChange={(event) => setName(event.target.value)}
              error={error !== undefined}
              helperText={error ?? text('roles.nameHelp')}
              slotProps={{ htmlInput: { style: { fontFamily: monospace }, spellCheck: false } }}
            />
          </DialogContent>
          <DialogActions>
            <Button onClick={() => leave(close)}>{text('common.cancel')}</Button>
            <Button type="submit" variant="contained" loading={busy} disabled={name === ''}>
              {text('common.save')}
            </Button>
          </DialogActions>
        </Stack>
      </Dialog>
    </>
  );
};
