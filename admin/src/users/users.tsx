import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Icon } from '../parts/icon.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { RoleChips } from './roles-of.tsx';
import { mayHaveFactor, type User } from './user.ts';

export const UserState = ({
  disabled,
  must_change_password: mustChange,
  invited,
}: Pick<User, 'disabled' | 'must_change_password' | 'invited'>) => {
  const text = useText();
  return (
    <Stack direction="row" sx={{ gap: 0.5, flexWrap: 'wrap' }}>
      <Chip
        size="small"
        variant="outlined"
        color={disabled ? 'error' : 'success'}
        label={text(disabled ? 'users.disabled' : 'users.enabled')}
      />
      {invited ? (
        <Chip size="small" variant="outlined" color="info" label={text('people.invite.invited')} />
      ) : null}
      {mustChange ? (
        <Chip size="small" variant="outlined" color="warning" label={text('users.mustChange')} />
      ) : null}
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
  return <Chip size="small" variant="outlined" color="warning" label={words} />;
};

/** The columns of users. */
export const userColumns = (text: Text): OwnColumn<User>[] => [
  {
    name: 'username',
    fixed: true,
    render: ({ id, username, name }) => (
      <Box>
        <Link to={`/users/${id}/show`}>{username}</Link>
        {name === username ? null : (
          <Typography variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {name}
          </Typography>
        )}
      </Box>
    ),
  },
  'email',
  {
    name: 'roles',
    render: ({ roles }) => <RoleChips roles={roles} />,
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
];

export const Users = () => {
  const text = useText();
  return (
    <OwnList<User>
      resource="users"
      title={text('users.title')}
      columns={userColumns(text)}
      to={({ id }) => `/users/${id}/show`}
      empty={text('users.empty')}
      sort={{ field: 'username', order: 'ASC' }}
      actions={
        <LinkButton to="/users/create" variant="contained" startIcon={<Icon name="plus" />}>
          {text('users.create')}
        </LinkButton>
      }
    />
  );
};
