import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { FilterField } from '../parts/filter-field.ts';
import { Icon } from '../parts/icon.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { RoleChips } from './roles-of.tsx';
import { heldFactors, mayHaveFactor, type User } from './user.ts';

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

/** What somebody signs in with beside the password; who is no administrator has none, and needs none. */
export const FactorOf = ({ user }: { readonly user: User }) => {
  const text = useText();
  const { second_factor: held } = user;
  const words = text(`factor.held.${held}`);
  if (held !== 'none') return <span>{words}</span>;
  if (!mayHaveFactor(user)) return <span>—</span>;
  return <Chip size="small" variant="outlined" color="warning" label={words} />;
};

const columns = (text: Text): Column<User>[] => [
  {
    name: 'username',
    label: text('users.username'),
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
  { name: 'email', label: text('users.email'), render: ({ email }) => email },
  {
    name: 'roles',
    label: text('users.roles'),
    sortable: false,
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
  {
    name: 'created_at',
    label: text('common.createdAt'),
    wide: true,
    render: ({ created_at }) => <RelativeTime value={created_at} />,
  },
];

const filters = (text: Text): FilterField[] => [
  { name: 'username', label: text('users.username'), kind: 'text', operators: ['like', 'eq', 'starts_with'] },
  { name: 'email', label: text('users.email'), kind: 'text', operators: ['like', 'eq', 'starts_with'] },
  { name: 'name', label: text('users.name'), kind: 'text', operators: ['like', 'eq'] },
  { name: 'disabled', label: text('users.disabled'), kind: 'boolean', operators: ['eq'] },
  { name: 'must_change_password', label: text('users.mustChange'), kind: 'boolean', operators: ['eq'] },
  { name: 'invited', label: text('people.invite.invited'), kind: 'boolean', operators: ['eq'] },
  {
    name: 'second_factor',
    label: text('factor.title'),
    kind: 'choice',
    operators: ['eq', 'in'],
    choices: heldFactors.map((value) => ({ value, label: text(`factor.held.${value}`) })),
  },
  { name: 'invited_by', label: text('people.invite.invitedBy'), kind: 'number', operators: ['eq'] },
  { name: 'created_at', label: text('common.createdAt'), kind: 'datetime', operators: ['gte', 'lte'] },
];

export const Users = () => {
  const text = useText();
  return (
    <RecordListPage<User>
      resource="users"
      title={text('users.title')}
      columns={columns(text)}
      to={({ id }) => `/users/${id}/show`}
      filters={filters(text)}
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
