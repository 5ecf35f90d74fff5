/** The page of all roles. */

import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { useChanged } from '../parts/use-act.ts';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { RemoveRole } from './remove-role.tsx';
import type { Role } from './role.ts';

/** The service keeps built-in roles, and those of users. */
const isRemovable = ({ built_in, users }: Role): boolean => !built_in && users === 0;

const columns = (text: Text): OwnColumn<Role>[] => [
  {
    name: 'name',
    names: true,
    render: ({ name }) => <Link to={`/roles/${name}`}>{name}</Link>,
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
    has: isRemovable,
    render: (role) => (isRemovable(role) ? <RemoveRole role={role} /> : <span>—</span>),
  },
];

export const Roles = () => {
  const text = useText();
  return (
    <OwnList<Role>
      resource="roles"
      title={text('titles.roles')}
      lead={text('roles.lead')}
      columns={columns(text)}
      hidden={[]}
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
  const changed = useChanged();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const close = (): void => {
    setOpen(false);
    setName('');
  };
  return (
    <>
      <Button variant="contained" startIcon={<Icon name="plus" />} onClick={() => setOpen(true)}>
        {text('roles.create')}
      </Button>
      {open ? (
        <DialogForm
          title={text('roles.create')}
          action={text('common.save')}
          disabled={name === ''}
          isChanged={name !== ''}
          fields={['name']}
          onSubmit={async () => {
            await send('POST', '/admin/roles', { body: { role: { name } } });
            await changed(text('common.saved'));
          }}
          onDone={close}
          onClose={close}
        >
          {(errors) => (
            <TextField
              label={text('roles.name')}
              value={name}
              autoFocus
              required
              onChange={(event) => setName(event.target.value)}
              error={errors['name'] !== undefined}
              helperText={[errors['name'] ?? [], text('roles.nameHelp')].flat().join(' · ')}
              slotProps={{ htmlInput: { style: { fontFamily: monospace }, spellCheck: false } }}
            />
          )}
        </DialogForm>
      ) : null}
    </>
  );
};
