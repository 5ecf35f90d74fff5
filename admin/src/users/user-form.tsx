import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { FormBar } from '../parts/form-bar.tsx';
import { Page } from '../parts/page.tsx';
import { useRefusal } from '../parts/refusal.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useInput } from '../parts/use-input.ts';
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
  /** The link that is shown once, where the user was invited; `failed`: the user was made, and the link was not. */
  readonly invitation?: Invitation | 'failed';
}

const UserForm = ({ title, first, back, note, save }: UserFormProps) => {
  const text = useText();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { input, changes, put, discard } = useInput(first);
  const { saved } = useUnsaved(changes > 0);
  const { refusal, refuse, clear } = useRefusal();
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<{ readonly id: number; readonly invitation: Invitation }>();
  const show = (id: number): void => void navigate(`/users/${id}/show`);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    clear();
    try {
      const { id, invitation } = await save(input);
      await client.invalidateQueries();
      saved();
      if (invitation === 'failed') notify(text('people.invite.notMade'), { type: 'warning' });
      else notify(text('common.saved'), { type: 'success' });
      if (invitation === undefined || invitation === 'failed') show(id);
      else setMade({ id, invitation });
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Page title={title} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 2 }}>
          {note}
          <UserFields draft={input} errors={refusal.fields} onChange={put} />
          <FormBar
            changes={changes}
            refusal={refusal}
            fields={Object.keys(input)}
            busy={busy}
            back={back}
            onDiscard={discard}
          />
        </Stack>
      </Paper>
      {made === undefined ? null : (
        <InvitationLink
          username={input.username}
          invitation={made.invitation}
          onClose={() => show(made.id)}
        />
      )}
    </Page>
  );
};

const nobody: UserDraft = {
  username: '',
  email: '',
  name: '',
  invite: true,
  password: '',
  roles: ['viewer'],
  disabled: false,
  must_change_password: false,
};

/** Makes a user, and the link by which they choose their password where they are invited. */
const create = async ({ name, password, invite = false, ...rest }: UserDraft): Promise<SavedUser> => {
  const data = { ...rest, ...(name === '' ? {} : { name }), ...(invite ? { invite } : { password }) };
  const { id } = (await dataProvider.create<User>('users', { data })).data;
  if (!invite) return { id };
  return { id, invitation: await makeInvitation(id).catch(() => 'failed' as const) };
};

export const NewUser = () => {
  const text = useText();
  return <UserForm title={text('users.create')} first={nobody} back="/users" save={create} />;
};

export const EditUser = () => {
  const { id = '' } = useParams();
  const text = useText();
  const { data: user, error } = useQuery({
    queryKey: ['edited user', id],
    gcTime: 0,
    queryFn: async () => (await dataProvider.getOne<User>('users', { id: Number(id) })).data,
  });
  if (error) return <FailurePage error={error} />;
  if (user === undefined) return <Waiting />;
  const { username, email, name, roles, disabled, must_change_password } = user;
  return (
    <UserForm
      title={text('users.edit', { name: username })}
      first={{ username, email, name, roles, disabled, must_change_password }}
      back={`/users/${id}/show`}
      note={<MadeForOthers user={user} />}
      save={async (draft) => {
        await dataProvider.update<User>('users', { id: user.id, data: { ...draft }, previousData: user });
        return { id: user.id };
      }}
    />
  );
};
