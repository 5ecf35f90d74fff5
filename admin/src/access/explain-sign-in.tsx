/** The form and the explanation of a sign-in with an identity provider. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Failed } from '../parts/failed.tsx';
import { Gate, GateTrace } from '../parts/gate-trace.tsx';
import { Link } from '../parts/link.tsx';
import { UserPicker } from '../parts/own-pickers.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { RoleLinks } from '../users/roles-of.tsx';
import type { Step } from './explanation.ts';
import { gateOutcomes, OutcomeHeading, StepTitle } from './verdict.tsx';

interface Provider {
  readonly name: string;
  readonly label: string;
}

/** A sign-in as `/admin/explain/sign_in` explains it. */
interface ExplainedSignIn {
  readonly subject: string | null;
  readonly user: { readonly id: number; readonly name: string } | null;
  readonly last_sign_in_at: string | null;
  readonly allowed: boolean;
  readonly claim: {
    readonly name: string;
    readonly values: readonly { readonly value: string; readonly roles: readonly string[] }[];
  } | null;
  readonly roles: readonly {
    readonly role: string;
    readonly origin: 'claim' | 'default' | 'kept' | 'last_super_admin';
    readonly values: readonly string[];
    readonly held: boolean;
  }[];
  readonly lost_roles: readonly string[];
  readonly steps: readonly Step[];
  readonly decided_by: string | null;
}

interface Question {
  readonly provider: string;
  readonly user: number | null;
  readonly values: string;
}

/** Explains a sign-in with an identity provider: account, claim, mapping, roles. */
export const ExplainSignIn = () => {
  const [parameters, setParameters] = useSearchParams();
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: async () => (await send<readonly Provider[]>('GET', '/api/v1/auth/providers')).data,
  });
  const asked = parameters.has('provider');
  const { data, error, isFetching } = useQuery({
    queryKey: ['explain-sign-in', parameters.toString()],
    enabled: asked,
    gcTime: 0,
    queryFn: async () => {
      const query = new URLSearchParams(parameters);
      query.delete('tab');
      return (await send<ExplainedSignIn>('GET', `/admin/explain/sign_in?${query}`)).data;
    },
  });
  if (providers.error) return <Failed error={providers.error} />;
  if (providers.data === undefined) return null;
  const ask = ({ provider, user, values }: Question): void => {
    const next = new URLSearchParams({ tab: 'sign-in', provider });
    if (user !== null) next.set('user_id', String(user));
    for (const value of values.split(',').map((each) => each.trim()))
      if (value !== '') next.append('value', value);
    setParameters(next);
  };
  return (
    <Stack sx={{ gap: 2.5 }}>
      <Ask
        key={parameters.toString()}
        providers={providers.data}
        first={{
          provider: parameters.get('provider') ?? providers.data[0]?.name ?? '',
          user: Number(parameters.get('user_id')) || null,
          values: parameters.getAll('value').join(', '),
        }}
        busy={isFetching}
        onAsk={ask}
      />
      {error ? <Failed error={error} /> : null}
      {data === undefined || error ? null : <Outcome explained={data} />}
    </Stack>
  );
};

interface AskProps {
  readonly providers: readonly Provider[];
  readonly first: Question;
  readonly busy: boolean;
  readonly onAsk: (question: Question) => void;
}

const Ask = ({ providers, first, busy, onAsk }: AskProps) => {
  const text = useText();
  const [question, setQuestion] = useState(first);
  const change = (part: Partial<Question>): void => setQuestion({ ...question, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onAsk(question);
  };
  return (
    <Box component="form" onSubmit={submit} sx={askStyle}>
      <TextField
        select
        margin="none"
        label={text('explainSignIn.provider')}
        value={question.provider}
        onChange={(event) => change({ provider: event.target.value })}
      >
        {providers.map(({ name, label }) => (
          <MenuItem key={name} value={name}>
            {label}
          </MenuItem>
        ))}
      </TextField>
      <UserPicker
        label={text('explainSignIn.user')}
        value={question.user}
        onChange={(user) => change({ user })}
      />
      <TextField
        margin="none"
        label={text('explainSignIn.values')}
        value={question.values}
        onChange={(event) => change({ values: event.target.value })}
        helperText={text('explainSignIn.valuesHelp')}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace, fontSize: 13 } } }}
      />
      <Button type="submit" variant="contained" loading={busy} sx={{ justifySelf: 'start' }}>
        {text('explain.ask')}
      </Button>
    </Box>
  );
};

const askStyle = {
  display: 'grid',
  gap: 1.5,
  alignItems: 'start',
  '& .MuiFormControl-root': { m: 0 },
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: '180px minmax(160px, 1fr) minmax(200px, 1.4fr)' },
} as const;

const Outcome = ({ explained }: { readonly explained: ExplainedSignIn }) => {
  const text = useText();
  const { allowed, steps, decided_by } = explained;
  return (
    <Stack sx={{ gap: 1.5 }} aria-live="polite">
      <OutcomeHeading
        allowed={allowed}
        title={text(allowed ? 'explainSignIn.allowed' : 'explainSignIn.refused')}
        because={allowed ? undefined : <Refusal explained={explained} />}
      />
      <Paper variant="outlined" sx={{ p: 1 }}>
        <GateTrace label={text('explain.gates')}>
          {steps.map((step) => (
            <Gate
              key={step.rule}
              outcome={gateOutcomes[step.outcome]}
              lit={step.rule === decided_by}
              title={<StepTitle step={step} />}
            >
              <Reason step={step} explained={explained} />
            </Gate>
          ))}
        </GateTrace>
      </Paper>
      {allowed ? <Roles explained={explained} /> : null}
    </Stack>
  );
};

interface ExplainedProps {
  readonly explained: ExplainedSignIn;
}

/** The reason of a refusal, as part of a sentence. */
const Refusal = ({ explained: { decided_by, user, subject } }: ExplainedProps) => {
  const text = useText();
  if (decided_by === 'role') return text('explainSignIn.noRole');
  if (user === null) return text('explainSignIn.notCreated');
  return text(subject === null ? 'explainSignIn.noAccount' : 'explainSignIn.disabled', { name: user.name });
};

/** The reason of a step in the language of the page. */
const Reason = ({ step, explained }: ExplainedProps & { readonly step: Step }) => {
  const text = useText();
  const { claim, user, subject, last_sign_in_at: last } = explained;
  if (step.outcome === 'refused') return <Refusal explained={explained} />;
  if (step.rule === 'role') return claim === null ? text('explainSignIn.noMapping') : <Claim claim={claim} />;
  if (step.rule === 'second_factor')
    return step.outcome === 'off'
      ? text('explainSignIn.factorOff')
      : text('explainSignIn.factorCounts', { rule: step.because });
  if (user === null || subject === null) return text('explainSignIn.created');
  return (
    <>
      <Link to={`/users/${user.id}/show`}>{text('explainSignIn.linked', { subject, name: user.name })}</Link>
      {last === null ? null : (
        <div>
          {text('explainSignIn.lastAt')} <RelativeTime value={last} />
        </div>
      )}
    </>
  );
};

/** The values of the claim, and the roles to which each of them is mapped. */
const Claim = ({ claim: { name, values } }: { readonly claim: NonNullable<ExplainedSignIn['claim']> }) => {
  const text = useText();
  if (values.length === 0) return text('explainSignIn.noValues');
  return (
    <Box component="table" sx={tableStyle}>
      <thead>
        <tr>
          <th scope="col">
            {text('explainSignIn.claim')} <code>{name}</code>
          </th>
          <th scope="col">{text('explainSignIn.mapsTo')}</th>
        </tr>
      </thead>
      <tbody>
        {values.map(({ value, roles }) => (
          <tr key={value}>
            <td>
              <code>{value}</code>
            </td>
            <td>{roles.length === 0 ? text('explainSignIn.unmapped') : <RoleLinks roles={roles} />}</td>
          </tr>
        ))}
      </tbody>
    </Box>
  );
};

const tableStyle = {
  mt: 0.5,
  borderCollapse: 'collapse',
  '& th, & td': { textAlign: 'left', fontWeight: 'inherit', py: 0.25, pr: 3, verticalAlign: 'top' },
  '& code': { fontFamily: monospace, color: 'text.primary' },
} as const;

/** The roles after the sign-in with their origin, and the removed ones. */
const Roles = ({ explained: { roles, lost_roles: lost } }: ExplainedProps) => {
  const text = useText();
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Part title={text('explainSignIn.after')}>
        {roles.map(({ role, origin, values, held }) => (
          <Box key={role} component="li" sx={{ color: 'text.secondary' }}>
            <Box component="span" sx={{ color: 'text.primary', fontWeight: 500 }}>
              <RoleLinks roles={[role]} />
            </Box>{' '}
            {text(`explainSignIn.origins.${origin}`, { values: values.join(text('common.separator')) })}
            {held ? null : (
              <Box component="span" sx={{ ml: 1, color: 'success.main', fontWeight: 600 }}>
                {text('explainSignIn.gained')}
              </Box>
            )}
          </Box>
        ))}
      </Part>
      {lost.length === 0 ? null : (
        <Box sx={{ mt: 1.5 }}>
          <Part title={text('explainSignIn.lost')}>
            {lost.map((role) => (
              <li key={role}>
                <RoleLinks roles={[role]} />
              </li>
            ))}
          </Part>
        </Box>
      )}
    </Paper>
  );
};

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <>
    <Typography variant="h3">{title}</Typography>
    <Box component="ul" sx={{ m: 0, mt: 0.5, p: 0, listStyle: 'none', typography: 'body2' }}>
      {children}
    </Box>
  </>
);
