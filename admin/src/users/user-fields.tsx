/** The inputs of a user, for the form of a new or existing one. */

import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { usePermissions } from 'ra-core';
import { UserPicker } from '../parts/own-pickers.tsx';
import { dataProvider } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { sendsMail } from './invitation-link.tsx';
import { superAdmin } from './user.ts';

export interface UserDraft {
  readonly username: string;
  readonly email: string;
  /** True if the user may have no address. */
  readonly addressless?: boolean;
  readonly name: string;
  readonly roles: readonly string[];
  readonly disabled: boolean;
  /** Not for service accounts, which have no password. */
  readonly must_change_password?: boolean;
  /** For new users only. */
  readonly kind?: 'person' | 'service';
  /** For service accounts only. */
  readonly owner_id?: number | null;
  /** For new users only: true if they set their password by a link. */
  readonly invite?: boolean;
  /** Password of a new user without an invitation. */
  readonly password?: string;
}

export type FieldErrors = Readonly<Record<string, string>>;

interface UserFieldsProps {
  readonly draft: UserDraft;
  readonly errors: FieldErrors;
  readonly onChange: (draft: UserDraft) => void;
}

interface Role {
  readonly id: string;
  readonly name: string;
}

const useRoles = (): readonly Role[] => {
  const { data = [] } = useQuery({
    queryKey: ['all roles'],
    queryFn: async () => {
      const pagination = { page: 1, perPage: 200 };
      const sort = { field: 'name', order: 'ASC' } as const;
      return (await dataProvider.getList<Role>('roles', { pagination, sort })).data;
    },
  });
  return data;
};

/** The inputs of a user, each with its error. */
export const UserFields = ({ draft, errors, onChange }: UserFieldsProps) => {
  const text = useText();
  const input = (name: 'username' | 'email' | 'name' | 'password', autoComplete: string) => ({
    value: draft[name] ?? '',
    error: errors[name] !== undefined,
    helperText: errors[name],
    autoComplete,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ ...draft, [name]: event.target.value }),
  });
  // A password chosen by the user need not be changed.
  const chooseWay = (invite: boolean): void =>
    onChange({ ...draft, invite, password: '', must_change_password: false });
  const isService = draft.kind === 'service' || draft.owner_id !== undefined;
  return (
    <Stack sx={{ gap: 0.5 }}>
      {draft.kind === undefined ? null : <KindChoice draft={draft} onChange={onChange} />}
      <TextField label={text('users.username')} required {...input('username', 'off')} />
      <TextField
        label={text('users.email')}
        required={!isService && draft.addressless !== true}
        type="email"
        {...input('email', 'off')}
      />
      <TextField label={text('users.name')} {...input('name', 'off')} />
      {isService ? (
        <UserPicker
          label={text('users.responsiblePerson')}
          value={draft.owner_id ?? null}
          onChange={(owner_id) => onChange({ ...draft, owner_id })}
          error={errors['owner_id']}
          required
        />
      ) : null}
      {draft.invite === undefined || isService ? null : (
        <WayChoice invite={draft.invite} onChange={chooseWay} />
      )}
      {draft.invite === false && !isService ? (
        <TextField
          label={text('users.password')}
          required
          type="password"
          {...input('password', 'new-password')}
          helperText={errors['password'] ?? text('account.passwordHelp')}
        />
      ) : null}
      <RoleChoice draft={draft} errors={errors} onChange={onChange} />
      {draft.invite === true || isService ? null : (
        <>
          <FormControlLabel
            control={
              <Switch
                checked={draft.must_change_password === true}
                onChange={(event) => onChange({ ...draft, must_change_password: event.target.checked })}
              />
            }
            label={text('users.mustChangeFirst')}
          />
          <FormHelperText sx={{ mt: -0.5 }}>{text('users.mustChangeHelp')}</FormHelperText>
        </>
      )}
      <FormControlLabel
        control={
          <Switch
            checked={draft.disabled}
            onChange={(event) => onChange({ ...draft, disabled: event.target.checked })}
          />
        }
        label={text('users.disabled')}
      />
      <FormHelperText sx={{ mt: -0.5 }}>{text('users.disableHelp')}</FormHelperText>
    </Stack>
  );
};

/** The kind of a new user: a person or a program. */
const KindChoice = ({ draft, onChange }: Pick<UserFieldsProps, 'draft' | 'onChange'>) => {
  const text = useText();
  const choose = (kind: 'person' | 'service'): void => {
    const { owner_id: _owner, ...rest } = draft;
    onChange(kind === 'service' ? { ...rest, kind, owner_id: null } : { ...rest, kind });
  };
  return (
    <FormControl component="fieldset" sx={{ my: 0.5 }}>
      <FormLabel component="legend">{text('users.kind')}</FormLabel>
      <RadioGroup
        row
        value={draft.kind}
        onChange={(_event, chosen) => choose(chosen === 'service' ? 'service' : 'person')}
      >
        <FormControlLabel value="person" control={<Radio />} label={text('users.person')} />
        <FormControlLabel value="service" control={<Radio />} label={text('users.service')} />
      </RadioGroup>
      {draft.kind === 'service' ? <FormHelperText>{text('users.serviceHelp')}</FormHelperText> : null}
    </FormControl>
  );
};

interface WayChoiceProps {
  readonly invite: boolean;
  readonly onChange: (invite: boolean) => void;
}

/** The way in which a new user gets a password. */
const WayChoice = ({ invite, onChange }: WayChoiceProps) => {
  const text = useText();
  return (
    <FormControl component="fieldset" sx={{ my: 0.5 }}>
      <FormLabel component="legend">{text('invitations.way')}</FormLabel>
      <RadioGroup
        row
        value={invite ? 'link' : 'password'}
        onChange={(_event, chosen) => onChange(chosen === 'link')}
      >
        <FormControlLabel value="link" control={<Radio />} label={text('invitations.byLink')} />
        <FormControlLabel value="password" control={<Radio />} label={text('invitations.byPassword')} />
      </RadioGroup>
      {invite ? (
        <FormHelperText>
          {text(sendsMail ? 'invitations.byMailHelp' : 'invitations.byLinkHelp')}
        </FormHelperText>
      ) : null}
    </FormControl>
  );
};

const RoleChoice = ({ draft, errors, onChange }: UserFieldsProps) => {
  const text = useText();
  const roles = useRoles();
  const { permissions: own = [] } = usePermissions<readonly string[]>();
  const toggle = (name: string): void => {
    const held = draft.roles.includes(name);
    onChange({
      ...draft,
      roles: held ? draft.roles.filter((each) => each !== name) : [...draft.roles, name],
    });
  };
  return (
    <FormControl component="fieldset" error={errors['roles'] !== undefined}>
      <FormLabel component="legend">{text('users.roles')}</FormLabel>
      <FormGroup row>
        {roles.map(({ name }) => (
          <FormControlLabel
            key={name}
            disabled={name === superAdmin && !own.includes(superAdmin)}
            control={
              <Checkbox
                checked={draft.roles.includes(name)}
                onChange={() => toggle(name)}
                slotProps={{ input: { 'aria-invalid': errors['roles'] !== undefined } }}
              />
            }
            label={name}
          />
        ))}
      </FormGroup>
      <FormHelperText>{errors['roles'] ?? text('users.rolesHelp')}</FormHelperText>
    </FormControl>
  );
};
