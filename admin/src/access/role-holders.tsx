import type { Column } from '../parts/column.ts';
import { Link } from '../parts/link.tsx';
import { Listed } from '../parts/listed.tsx';
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
  return (
    <Listed<User> label={text('roles.holders')} columns={columns(text)} empty={text('roles.noHolders')} />
  );
};
