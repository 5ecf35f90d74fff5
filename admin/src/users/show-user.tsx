/** The page of a user: facts, actions, keys, sessions and permissions. */

import Button from '@mui/material/Button';
import { useGetIdentity, usePermissions } from 'ra-core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import type { ApiKey } from '../keys/api-key.ts';
import { hiddenKeyFields, keyColumns } from '../keys/keys.tsx';
import { offers } from '../offered.ts';
import { BulkDelete } from '../parts/bulk-delete.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { useNow } from '../parts/use-now.ts';
import { type OwnColumn, OwnPart } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { dataProvider, send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { DisableUser } from './disable-user.tsx';
import { GrantsOf } from './grants-of.tsx';
import { InviteUser } from './invitation-link.tsx';
import { LinkedAccountsOf } from './linked-accounts-of.tsx';
import { MadeForOthers } from './made-for-others.tsx';
import { MembershipsOf } from './memberships-of.tsx';
import { ResetPassword } from './reset-password.tsx';
import { RoleLinks } from './roles-of.tsx';
import { SignInsOf } from './sign-ins-of.tsx';
import { mayHaveFactor, mayManage, ownerName, superAdmin, type User } from './user.ts';
import { FactorOf, UserState } from './users.tsx';

const facts = (text: Text): OwnColumn<User>[] => [
  'name',
  'email',
  { name: 'kind', has: ({ kind }) => kind === 'service' },
  {
    name: 'owner',
    has: ({ kind }) => kind === 'service',
    render: ({ owner }) =>
      owner?.username === undefined ? (
        ownerName(owner)
      ) : (
        <Link to={`/users/${owner.id}/show`}>{owner.username}</Link>
      ),
  },
  { name: 'roles', render: ({ roles }) => <RoleLinks roles={roles} /> },
  { name: 'disabled', label: text('users.state'), render: (user) => <UserState {...user} /> },
  { name: 'second_factor', render: (user) => <FactorOf user={user} /> },
  {
    name: 'invitation_expires_at',
    label: text('invitations.openLink'),
    has: ({ invitation_expires_at: end }) => end !== null,
    render: ({ invitation_expires_at: end }) => (end === null ? null : <LinkEnd value={end} />),
  },
  'created_at',
  'updated_at',
];

/** The page of a user: keys, sessions and permissions. */
export const ShowUser = () => {
  const text = useText();
  return (
    <OwnShow<User>
      resource="users"
      within={text('titles.users')}
      titleOf={({ username }) => username}
      facts={facts(text)}
      actions={(user) => <Actions user={user} />}
    >
      {(user) => (
        <>
          <MadeForOthers user={user} />
          <KeysOf user={user} />
          {user.kind === 'person' ? <SignIns user={user} /> : null}
          {user.kind === 'person' && offers('providers') ? <LinkedAccounts user={user} /> : null}
          <MembershipsOf user={user} />
          <GrantsOf roles={user.roles} />
        </>
      )}
    </OwnShow>
  );
};

/** The own sessions have a page of their own. */
const SignIns = ({ user }: { readonly user: User }) => {
  const { permissions: own } = usePermissions<readonly string[]>();
  const { identity } = useGetIdentity();
  return <SignInsOf user={user} canEnd={mayManage(user, own) && identity?.id !== user.id} />;
};

/** Only a super_admin may unlink accounts of a super_admin. */
const LinkedAccounts = ({ user }: { readonly user: User }) => {
  const { permissions: own } = usePermissions<readonly string[]>();
  return <LinkedAccountsOf user={user} canUnlink={mayManage(user, own)} />;
};

/** The end of the link, in the future or the past. */
const LinkEnd = ({ value }: { readonly value: string }) => {
  const text = useText();
  const over = Date.parse(value) <= useNow();
  return (
    <>
      {text(over ? 'invitations.endedLabel' : 'invitations.endsLabel')}
      <RelativeTime value={value} />
    </>
  );
};

const Actions = ({ user }: { readonly user: User }) => {
  const text = useText();
  const navigate = useNavigate();
  const { act } = useAct();
  const { permissions: own } = usePermissions<readonly string[]>();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState<'password' | 'factor' | 'delete'>();
  const close = (): void => setAsking(undefined);
  const managed = mayManage(user, own);
  const self = identity?.id === user.id;
  const isPerson = user.kind === 'person';

  const remove = async (): Promise<void> => {
    const change = () => dataProvider.delete<User>('users', { id: user.id, previousData: user });
    await act(change, text('common.deleted', { count: 1 }), () => navigate('/users'));
    close();
  };
  const resetFactor = async (): Promise<void> => {
    await act(() => send('DELETE', `/admin/users/${user.id}/second-factor`), text('factor.reset.done'));
    close();
  };

  return (
    <>
      {managed && !self && !user.disabled && isPerson ? <InviteUser user={user} /> : null}
      {managed && !self && isPerson ? (
        <Button onClick={() => setAsking('password')}>{text('users.reset')}</Button>
      ) : null}
      <DisableUser user={user} />
      {managed && self ? <LinkButton to="/password">{text('account.changePassword')}</LinkButton> : null}
      {managed ? (
        <LinkButton to={`/users/${user.id}`} variant="contained" shortcut="e">
          {text('common.edit')}
        </LinkButton>
      ) : null}
      <MoreMenu
        items={[
          ...(user.disabled ? [] : [{ label: text('viewAs.action'), to: `/users/${user.id}/view` }]),
          { label: text('users.explain'), to: `/explain?user_id=${user.id}` },
          ...(managed && !self && own?.includes(superAdmin) === true && mayHaveFactor(user)
            ? [{ label: text('factor.reset.action'), onClick: () => setAsking('factor') }]
            : []),
          ...(managed
            ? [{ label: text('common.delete'), dangerous: true, onClick: () => setAsking('delete') }]
            : []),
        ]}
      />
      {asking === 'password' ? <ResetPassword user={user} onClose={close} /> : null}
      <Confirm
        open={asking === 'factor'}
        title={text('factor.reset.title', { name: user.username })}
        action={text('factor.reset.action')}
        onConfirm={resetFactor}
        onClose={close}
      >
        {text('factor.reset.lead')}
      </Confirm>
      {asking === 'delete' ? (
        <AskDeletion
          title={text('users.deleteTitle', { name: user.username })}
          resource="users"
          ids={[user.id]}
          name={user.username}
          onConfirm={remove}
          onClose={close}
        >
          {text('common.cannotUndo')}
        </AskDeletion>
      ) : null}
    </>
  );
};

const KeysOf = ({ user }: { readonly user: User }) => {
  const text = useText();
  const nameOf = ({ name, key }: ApiKey): string => text('common.named', { name, more: key });
  return (
    <Section
      title={text('titles.keys')}
      isListed
      actions={<LinkButton to={`/api_keys/create?user_id=${user.id}`}>{text('titles.newKey')}</LinkButton>}
    >
      <OwnPart<ApiKey>
        resource="api_keys"
        filter={{ user: user.username }}
        label={text('titles.keys')}
        columns={keyColumns(text).filter((column) => typeof column === 'string' || column.name !== 'user')}
        hidden={[...hiddenKeyFields, 'user']}
        filters={[]}
        empty={text('keys.emptyOfUser')}
        nameOf={nameOf}
      >
        <BulkDelete<ApiKey> nameOf={nameOf} deleting="revoke" />
      </OwnPart>
    </Section>
  );
};
