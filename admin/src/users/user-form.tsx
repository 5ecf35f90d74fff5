import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useNotify } from 'react-admin';
import { useNavigate, useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';
import { type FieldErrors, type UserDraft, UserFields } from './user-fields.tsx';

interface UserFormProps {
  readonly title: string;
  readonly first: UserDraft;
  readonly back: string;
  readonly note?: ReactNode;
  readonly save: (draft: UserDraft) => Promise<number>;
}

const UserForm = ({ title, first, back, note, save }: UserFormProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState(first);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setErrors({});
    try {
      const id = await save(draft);
      await client.invalidateQueries();
      notify(text('common.saved'), { type: 'success' });
      await navigate(`/users/${id}/show`);
    } catch (error) {
      const { fields } = failureOf(error);
      setErrors(fields);
      if (Object.keys(fields).length === 0) tell(error);
      setBusy(false);
    }
  };

  return (
    <Page title={title} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 2 }}>
          {note}
          <UserFields draft={draft} errors={errors} onChange={setDraft} />
          <Stack direction="row" sx={{ gap: 1 }}>
            <Button type="submit" variant="contained" loading={busy}>
              {text('common.save')}
            </Button>
            <LinkButton to={back}>{text('common.cancel')}</LinkButton>
          </Stack>
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
