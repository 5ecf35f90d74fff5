/** The page of all users, and the columns of its list. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { Link, LinkButton } from '../parts/link.tsx';
import { Status } from '../parts/status.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { DisableUser } from './disable-user.tsx';
import { RoleLinks } from './roles-of.tsx';
import { mayHaveFactor, ownerName, type User } from './user.ts';

export const UserState = ({
  disabled,
  must_change_password: mustChange,
  invited,
}: Pick<User, 'disabled' | 'must_change_password' | 'invited'>) => {
  const text = useText();
  return (
    <Stack component="span" direction="row" sx={{ display: 'inline-flex', columnGap: 1.5, flexWrap: 'wrap' }}>
      <Status tone={disabled ? 'off' : 'good'}>{text(disabled ? 'users.disabled' : 'users.enabled')}</Status>
      {invited ? <Status tone="attention">{text('invitations.noPasswordYet')}</Status> : null}
      {mustChange ? <Status tone="attention">{text('users.mustChange')}</Status> : null}
    </Stack>
  );
};

/** The second factor of a user. Only administrators need one. */
export const FactorOf = ({ user }: { readonly user: User }) => {
  const wordOf = useWords('users');
  const { second_factor: held } = user;
  const words = wordOf('second_factor', held);
  if (held !== 'none') return <span>{words}</span>;
  if (!mayHaveFactor(user)) return <span>—</span>;
  return <Status tone="attention">{words}</Status>;
};

/** Fields that other columns or the page of a user show. */
const hidden: readonly string[] = [
  'id',
  'name',
  'must_change_password',
  'updated_at',
  'kind',
  'owner_id',
  'owner',
  'invited',
  'invitation_expires_at',
  'invited_by',
];

export const userColumns = (text: Text): OwnColumn<User>[] => [
  {
    name: 'username',
    fixed: true,
    names: true,
    render: ({ id, username, name, kind, owner }) => (
      <>
        <Link to={`/users/${id}/show`}>{username}</Link>
        {name === username ? null : (
          <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
            {' '}
            {name}
          </Box>
        )}
        {kind === 'person' ? null : (
          <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
            {' · '}
            {owner === null ? text('users.service') : text('users.serviceOf', { owner: ownerName(owner) })}
          </Box>
        )}
      </>
    ),
  },
  'email',
  {
    name: 'roles',
    render: ({ roles }) => <RoleLinks roles={roles} />,
  },
  {
    name: 'disabled',
    label: text('users.state'),
    render: (user) => <UserState {...user} />,
  },
  {
    name: 'second_factor',
    label: text('factor.short'),
    render: (user) => <FactorOf user={user} />,
  },
  'created_at',
  {
    name: 'acts',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    render: (user) => <DisableUser user={user} small />,
  },
];

export const Users = () => {
  const text = useText();
  return (
    <OwnList<User>
      resource="users"
      title={text('titles.users')}
      columns={userColumns(text)}
      hidden={hidden}
      to={({ id }) => `/users/${id}/show`}
      empty={text('users.empty')}
      sort={{ field: 'username', order: 'ASC' }}
      actions={
        <LinkButton to="/users/create" variant="contained" shortcut="c">
          {text('titles.newUser')}
        </LinkButton>
      }
    />
  );
};
