import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNotify } from 'react-admin';
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
import type { User } from './user.ts';
import { type UserDraft, UserFields } from './user-fields.tsx';

interface UserFormProps {
  readonly title: string;
  readonly first: UserDraft;
  readonly back: string;
  readonly note?: ReactNode;
  readonly save: (draft: UserDraft) => Promise<number>;
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

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    clear();
    try {
      const id = await save(input);
      await client.invalidateQueries();
      notify(text('common.saved'), { type: 'success' });
      saved();
      await navigate(`/users/${id}/show`);
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
    </Page>
  );
};

const nobody: UserDraft = {
  username: '',
  email: '',
  name: '',
  password: '',
  roles: ['viewer'],
  disabled: false,
  must_change_password: false,
};

export const NewUser = () => {
  const text = useText();
  return (
    <UserForm
      title={text('users.create')}
      first={nobody}
      back="/users"
      save={async (draft) => {
        const { name, ...rest } = draft;
        const data = name === '' ? rest : draft;
        return (await dataProvider.create<User>('users', { data })).data.id;
      }}
    />
  );
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
      save={async (draft) => {
        await dataProvider.update<User>('users', { id: user.id, data: { ...draft }, previousData: user });
        return user.id;
      }}
    />
  );
};
