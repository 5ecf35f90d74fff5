/** The form of a new or existing user. */

import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type ReactNode, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { useOwnRecord } from '../records/own-show.tsx';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type Invitation, InvitationLink, makeInvitation } from './invitation-link.tsx';
import { MadeForOthers } from './made-for-others.tsx';
import type { User } from './user.ts';
import { type UserDraft, UserFields } from './user-fields.tsx';

interface UserFormProps {
  readonly title: string;
  readonly first: UserDraft;
  readonly back: string;
  readonly note?: ReactNode;
  readonly save: (draft: UserDraft) => Promise<SavedUser>;
}

interface SavedUser {
  readonly id: number;
  /** The link of an invited user, shown once; `failed` if only the user could be created. */
  readonly invitation?: Invitation | 'failed';
}

const UserForm = ({ title, first, back, note, save }: UserFormProps) => {
  const text = useText();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [made, setMade] = useState<SavedUser & { readonly username: string }>();
  const show = async (id: number): Promise<void> => navigate(`/users/${id}/show`);

  const submit = async (draft: UserDraft): Promise<() => Promise<void>> => {
    const saved = await save(draft);
    await client.invalidateQueries();
    return async () => {
      if (saved.invitation === 'failed') notify(text('invitations.notCreated'), { type: 'warning' });
      else notify(text('common.saved'), { type: 'success' });
      if (typeof saved.invitation === 'object') setMade({ ...saved, username: draft.username });
      else await show(saved.id);
    };
  };

  return (
    <>
      <PageForm<UserDraft> title={title} first={first} back={back} onSave={submit}>
        {(input, change, errors) => (
          <>
            {note}
            <UserFields draft={input} errors={errors} onChange={change} />
          </>
        )}
      </PageForm>
      {typeof made?.invitation === 'object' ? (
        <InvitationLink
          username={made.username}
          invitation={made.invitation}
          onClose={() => void show(made.id)}
        />
      ) : null}
    </>
  );
};

const newUser: UserDraft = {
  username: '',
  email: '',
  name: '',
  kind: 'person',
  invite: true,
  password: '',
  roles: ['viewer'],
  disabled: false,
  must_change_password: false,
};

/** Creates a service account: without a password, and with an address only if one is given. */
const createService = async ({ username, name, email, kind, owner_id, roles, disabled }: UserDraft) => {
  const given = { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) };
  const data = { username, kind, owner_id, roles, disabled, ...given };
  return { id: (await dataProvider.create<User>('users', { data })).data.id };
};

/** Creates a user, and an invitation link if the user is invited. */
const create = async (draft: UserDraft): Promise<SavedUser> => {
  if (draft.kind === 'service') return createService(draft);
  const { name, password, invite = false, ...rest } = draft;
  const data = { ...rest, ...(name === '' ? {} : { name }), ...(invite ? { invite } : { password }) };
  const { id } = (await dataProvider.create<User>('users', { data })).data;
  if (!invite) return { id };
  return { id, invitation: await makeInvitation(id).catch(() => 'failed' as const) };
};

export const NewUser = () => {
  const text = useText();
  return <UserForm title={text('titles.newUser')} first={newUser} back="/users" save={create} />;
};

export const EditUser = () => {
  const { id = '' } = useParams();
  const text = useText();
  return (
    <Loaded query={useOwnRecord<User>('users', true)}>
      {(user) => {
        const { username, email, name, roles, disabled, must_change_password, kind, owner_id } = user;
        const more = kind === 'service' ? { owner_id } : { must_change_password };
        return (
          <UserForm
            title={text('users.edit', { name: username })}
            first={{
              username,
              email: email ?? '',
              addressless: email === null,
              name,
              roles,
              disabled,
              ...more,
            }}
            back={`/users/${id}/show`}
            note={<MadeForOthers user={user} />}
            save={async (draft) => {
              const { addressless, email: address, ...rest } = draft;
              const data = addressless && address === '' ? rest : { ...rest, email: address };
              await dataProvider.update<User>('users', { id: user.id, data, previousData: user });
              return { id: user.id };
            }}
          />
        );
      }}
    </Loaded>
  );
};
