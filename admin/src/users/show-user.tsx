import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListBase, useDataProvider, useGetIdentity, useNotify, usePermissions } from 'ra-core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { AskDeletion } from '../deletion/ask-deletion.tsx';
import type { ApiKey } from '../keys/api-key.ts';
import { keyColumns } from '../keys/keys.tsx';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { BulkDelete } from '../parts/bulk-delete.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { saidInPlace } from '../parts/failed.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { useTell } from '../parts/problem.ts';
import { RelativeTime, Time } from '../parts/time.tsx';
import { useNow } from '../parts/use-now.ts';
import { columnsOf } from '../records/own-list.tsx';
import { useListFields } from '../records/use-metadata.ts';
import { dataProvider, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { GrantsOf } from './grants-of.tsx';
import { InviteUser } from './invite-user.tsx';
import { MadeForOthers } from './made-for-others.tsx';
import { MembershipsOf } from './memberships-of.tsx';
import { ResetPassword } from './reset-password.tsx';
import { RoleChips } from './roles-of.tsx';
import { mayHaveFactor, mayManage, superAdmin, type User } from './user.ts';
import { FactorOf, UserState } from './users.tsx';

/** One user: who they are, their keys, what their roles let them do. */
export const ShowUser = () => {
  const { id = '' } = useParams();
  const text = useText();
  const { data: user, error } = useQuery({
    queryKey: ['users', 'shown', id],
    queryFn: async () => (await dataProvider.getOne<User>('users', { id: Number(id) })).data,
  });
  if (error) return <FailurePage error={error} />;
  if (user === undefined) return <Waiting />;
  return (
    <Page title={user.username} actions={<Actions user={user} />}>
      <Stack sx={{ gap: 2.5 }}>
        <Facts
          facts={[
            [text('users.name'), user.name],
            [text('users.email'), user.email],
            [text('users.roles'), <RoleChips key="roles" roles={user.roles} />],
            [text('users.state'), <UserState key="state" {...user} />],
            [text('factor.title'), <FactorOf key="factor" user={user} />],
            ...(user.invitation_expires_at === null
              ? []
              : [
                  [
                    text('people.invite.openLink'),
                    <LinkEnd key="link" value={user.invitation_expires_at} />,
                  ] as const,
                ]),
            [text('common.createdAt'), <Time key="created" value={user.created_at} />],
            [text('common.updatedAt'), <Time key="updated" value={user.updated_at} />],
          ]}
        />
        <MadeForOthers user={user} />
        <KeysOf user={user} />
        <MembershipsOf user={user} />
        <GrantsOf roles={user.roles} />
      </Stack>
    </Page>
  );
};

/** Until when the link is good, or since when it is over. */
const LinkEnd = ({ value }: { readonly value: string }) => {
  const text = useText();
  const over = Date.parse(value) <= useNow();
  return (
    <>
      {text(over ? 'people.invite.endedAt' : 'people.invite.goodFor')}
      <RelativeTime value={value} />
    </>
  );
};

const Actions = ({ user }: { readonly user: User }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const provider = useDataProvider();
  const { permissions: own } = usePermissions<readonly string[]>();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState<'password' | 'sessions' | 'factor' | 'delete'>();
  const close = (): void => setAsking(undefined);

  const remove = async (): Promise<void> => {
    try {
      await provider.delete('users', { id: user.id, previousData: user });
      notify(text('common.deleted', { count: 1 }), { type: 'success' });
      await navigate('/users');
    } catch (error) {
      tell(error);
      close();
    }
  };

  const endSessions = async (): Promise<void> => {
    try {
      await send('PATCH', `/admin/users/${user.id}`, { body: { user: { end_sessions: true } } });
      notify(text('users.sessionsEnded'), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    close();
  };

  const resetFactor = async (): Promise<void> => {
    try {
      await send('DELETE', `/admin/users/${user.id}/second-factor`);
      await client.invalidateQueries();
      notify(text('factor.reset.done'), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    close();
  };

  return (
    <>
      <LinkButton to={`/explain?user_id=${user.id}`}>{text('users.explain')}</LinkButton>
      {mayManage(user, own) ? (
        <>
          <Button color="error" onClick={() => setAsking('delete')}>
            {text('common.delete')}
          </Button>
          {identity?.id === user.id ? (
            <LinkButton to="/password">{text('account.changePassword')}</LinkButton>
          ) : (
            <>
              <Button onClick={() => setAsking('sessions')}>{text('users.endSessions')}</Button>
              {user.disabled ? null : <InviteUser user={user} />}
              <Button onClick={() => setAsking('password')}>{text('users.reset')}</Button>
              {own?.includes(superAdmin) === true && mayHaveFactor(user) ? (
                <Button onClick={() => setAsking('factor')}>{text('factor.reset.action')}</Button>
              ) : null}
            </>
          )}
          <LinkButton to={`/users/${user.id}`} variant="contained">
            {text('common.edit')}
          </LinkButton>
        </>
      ) : null}
      {asking === 'password' ? <ResetPassword user={user} onClose={close} /> : null}
      <Confirm
        open={asking === 'sessions'}
        title={text('users.endSessionsTitle', { name: user.username })}
        action={text('users.endSessions')}
        onConfirm={endSessions}
        onClose={close}
      >
        {text('users.endSessionsLead')}
      </Confirm>
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
  const { data: fields } = useListFields('api_keys');
  return (
    <Stack component="section" sx={{ gap: 1 }}>
      <Stack
        direction="row"
        sx={{ alignItems: 'center', justifyContent: 'space-between', gap: 1, flexWrap: 'wrap' }}
      >
        <Typography variant="h2">{text('keys.title')}</Typography>
        <LinkButton to={`/api_keys/create?user_id=${user.id}`}>{text('keys.create')}</LinkButton>
      </Stack>
      <ListBase
        resource="api_keys"
        filter={{ user: user.username }}
        sort={{ field: 'id', order: 'DESC' }}
        perPage={10}
        disableSyncWithLocation
        disableAuthentication
        storeKey={false}
        queryOptions={saidInPlace}
      >
        <BulkDelete<ApiKey>
          nameOf={({ name, key }) => text('common.named', { name, more: key })}
          deleting="revoke"
        />
        {fields === undefined ? null : (
          <Listed<ApiKey>
            label={text('keys.title')}
            columns={columnsOf(keyColumns(text), fields).filter(({ name }) => name !== 'user')}
            empty={text('keys.emptyOfUser')}
            nameOf={({ name, key }) => text('common.named', { name, more: key })}
          />
        )}
      </ListBase>
    </Stack>
  );
};
