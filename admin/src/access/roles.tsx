import AddIcon from '@mui/icons-material/AddOutlined';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useListContext, useNotify } from 'react-admin';
import { Confirm } from '../parts/confirm.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { Time } from '../parts/time.tsx';
import { dataProvider, send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';

interface Role {
  readonly id: string;
  readonly name: string;
  readonly built_in: boolean;
  readonly users: number;
  readonly created_at: string;
}

const columns = (text: Text): Column<Role>[] => [
  {
    name: 'name',
    label: text('roles.name'),
    render: ({ name }) => (
      <Typography component="span" variant="body2" sx={{ fontWeight: 600 }}>
        {name}
      </Typography>
    ),
  },
  {
    name: 'users',
    label: text('roles.users'),
    align: 'right',
    render: ({ users }) => users,
  },
  {
    name: 'built_in',
    label: text('roles.kind'),
    render: ({ built_in }) => text(built_in ? 'roles.builtIn' : 'roles.own'),
  },
  {
    name: 'created_at',
    label: text('common.createdAt'),
    render: ({ created_at }) => <Time value={created_at} />,
  },
  {
    name: 'actions',
    label: text('common.actions'),
    sortable: false,
    has: ({ built_in }) => !built_in,
    render: (role) => <RemoveRole role={role} />,
  },
];

export const Roles = () => {
  const text = useText();
  return (
    <RecordListPage<Role>
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

const RemoveRole = ({ role }: { readonly role: Role }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const { refetch } = useListContext();
  const [asking, setAsking] = useState(false);
  if (role.built_in) return <span>—</span>;
  const remove = async (): Promise<void> => {
    try {
      await dataProvider.delete('roles', { id: role.name });
      notify(text('common.deleted', { count: 1 }), { type: 'success' });
      await client.invalidateQueries();
      await refetch();
    } catch (error) {
      tell(error);
    }
    setAsking(false);
  };
  return (
    <>
      <Button size="small" color="error" disabled={role.users > 0} onClick={() => setAsking(true)}>
        {text('common.delete')}
      </Button>
      <Confirm
        open={asking}
        title={text('roles.deleteTitle', { name: role.name })}
        action={text('common.delete')}
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        {text('roles.deleteLead')}
      </Confirm>
    </>
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

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await send('POST', '/admin/roles', { body: { role: { name } } });
      await client.invalidateQueries();
      notify(text('common.saved'), { type: 'success' });
      setOpen(false);
      setName('');
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
      <Button variant="contained" startIcon={<AddIcon />} onClick={() => setOpen(true)}>
        {text('roles.create')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} fullWidth maxWidth="xs" aria-labelledby="add-role">
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
            <Button onClick={() => setOpen(false)}>{text('common.cancel')}</Button>
            <Button type="submit" variant="contained" loading={busy} disabled={name === ''}>
              {text('common.save')}
            </Button>
          </DialogActions>
        </Stack>
      </Dialog>
    </>
  );
};
