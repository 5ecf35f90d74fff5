import Paper from '@mui/material/Paper';
import { useListContext } from 'react-admin';
import { Failed } from '../parts/failed.tsx';
import { Link } from '../parts/link.tsx';
import { Pages } from '../parts/pages.tsx';
import { type Column, RecordTable } from '../parts/record-table.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { RoleChips } from '../users/roles-of.tsx';
import type { User } from '../users/user.ts';
import { UserState } from '../users/users.tsx';

const columns = (text: Text): Column<User>[] => [
  {
    name: 'username',
    label: text('users.username'),
    render: ({ id, username }) => <Link to={`/users/${id}/show`}>{username}</Link>,
  },
  { name: 'name', label: text('users.name'), render: ({ name }) => name },
  {
    name: 'roles',
    label: text('users.roles'),
    sortable: false,
    render: ({ roles }) => <RoleChips roles={roles} />,
  },
  { name: 'disabled', label: text('users.state'), render: (user) => <UserState {...user} /> },
];

/** Everybody who holds a role, page by page. */
export const HoldersTable = () => {
  const text = useText();
  const { error } = useListContext<User>();
  if (error) return <Failed error={error} />;
  return (
    <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
      <RecordTable<User>
        label={text('roles.holders')}
        columns={columns(text)}
        empty={text('roles.noHolders')}
      />
      <Pages />
    </Paper>
  );
};
