/** The page that explains access: its form for requests, and its tabs. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import { basePath } from '../base.ts';
import { offers } from '../offered.ts';
import { KeyPicker, UserPicker } from '../parts/own-pickers.tsx';
import { Page } from '../parts/page.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { EarlierRefusal } from './earlier-refusal.tsx';
import { ExplainSignIn } from './explain-sign-in.tsx';
import type { Explanation } from './explanation.ts';
import { Refusals } from './refusals.tsx';
import { Verdict } from './verdict.tsx';

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
const callers = ['user_id', 'api_key_id', 'app_id', 'nobody'] as const;
const hasProviders = offers('providers');
const tabs = ['refusals', ...(hasProviders ? (['sign-in'] as const) : [])] as const;
type Caller = (typeof callers)[number];

const isCaller = (name: string): name is Caller => callers.some((each) => each === name);

interface Question {
  readonly caller: Caller;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Address from which the key is used; empty if not given. */
  readonly address: string;
}

const questionIn = (parameters: URLSearchParams): Question => {
  const caller = callers.find((each) => parameters.has(each)) ?? 'user_id';
  return {
    caller,
    id: parameters.get(caller) ?? '',
    method: parameters.get('method') ?? 'GET',
    path: parameters.get('path') ?? `${basePath}/api/v1/`,
    address: parameters.get('address') ?? '',
  };
};

/** The address of the page holds the question, so that users can share an answer. */
const parametersOf = ({ caller, id, method, path, address }: Question): URLSearchParams =>
  new URLSearchParams({
    [caller]: caller === 'nobody' ? '1' : id,
    method,
    path,
    ...(caller === 'api_key_id' && address.trim() !== '' ? { address: address.trim() } : {}),
  });

/** Explains why the service would allow or refuse a request. */
export const Explain = () => {
  const text = useText();
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.has('path') ? questionIn(parameters) : undefined;
  const { data, error, isFetching } = useQuery({
    queryKey: ['explain', parameters.toString()],
    enabled: asked !== undefined,
    gcTime: 0,
    queryFn: async () => {
      const query = new URLSearchParams(parameters);
      for (const own of ['nobody', 'was', 'tab']) query.delete(own);
      return (await send<Explanation>('GET', `/admin/explain?${query}`)).data;
    },
  });
  const tab = tabs.find((each) => each === parameters.get('tab')) ?? 'ask';
  return (
    <Page title={text('titles.explain')} lead={text('explain.lead')}>
      <Tabs
        value={tab}
        onChange={(_event, chosen: string) => setParameters(chosen === 'ask' ? {} : { tab: chosen })}
        variant="scrollable"
        sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
      >
        <Tab value="ask" label={text('explain.question')} />
        <Tab value="refusals" label={text('refusals.title')} />
        {hasProviders ? <Tab value="sign-in" label={text('explainSignIn.tab')} /> : null}
      </Tabs>
      {tab === 'refusals' ? <Refusals /> : null}
      {tab === 'sign-in' ? <ExplainSignIn /> : null}
      {tab === 'ask' ? (
        <Stack sx={{ gap: 2.5 }}>
          <Ask
            // Choosing a refusal fills the form again.
            key={parameters.toString()}
            first={questionIn(parameters)}
            busy={isFetching}
            onAsk={(question) => setParameters(parametersOf(question))}
          />
          <EarlierRefusal was={Number(parameters.get('was')) || undefined} explanation={data} />
          <Verdict explanation={data} error={error} />
        </Stack>
      ) : null}
    </Page>
  );
};

interface AskProps {
  readonly first: Question;
  readonly busy: boolean;
  readonly onAsk: (question: Question) => void;
}

const Ask = ({ first, busy, onAsk }: AskProps) => {
  const text = useText();
  const [question, setQuestion] = useState(first);
  const change = (part: Partial<Question>): void => setQuestion({ ...question, ...part });
  const ready = question.caller === 'nobody' || question.id !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) onAsk(question);
  };
  return (
    <Box component="form" onSubmit={submit} sx={askStyle}>
      <TextField
        select
        margin="none"
        label={text('explain.caller')}
        value={question.caller}
        onChange={(event) => {
          if (isCaller(event.target.value)) change({ caller: event.target.value, id: '' });
        }}
      >
        {callers.map((caller) => (
          <MenuItem key={caller} value={caller}>
            {text(`explain.callers.${caller}`)}
          </MenuItem>
        ))}
      </TextField>
      <Subject question={question} onChange={(id) => change({ id })} />
      <TextField
        select
        margin="none"
        label={text('explain.method')}
        value={question.method}
        onChange={(event) => change({ method: event.target.value })}
      >
        {methods.map((method) => (
          <MenuItem key={method} value={method}>
            {method}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        margin="none"
        label={text('explain.path')}
        value={question.path}
        onChange={(event) => change({ path: event.target.value })}
        placeholder={text('explain.pathHelp')}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace, fontSize: 13 } } }}
      />
      <Button type="submit" variant="contained" loading={busy} disabled={!ready} sx={{ alignSelf: 'end' }}>
        {text('explain.ask')}
      </Button>
      {question.caller === 'api_key_id' ? (
        <TextField
          margin="none"
          label={text('explain.address')}
          value={question.address}
          onChange={(event) => change({ address: event.target.value })}
          helperText={text('explain.addressHelp')}
          sx={{ gridColumn: { md: '1 / 3' } }}
          slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: monospace, fontSize: 13 } } }}
        />
      ) : null}
    </Box>
  );
};

/** One line where the page is wide enough. */
const askStyle = {
  display: 'grid',
  gap: 1.5,
  alignItems: 'end',
  '& .MuiFormControl-root': { m: 0 },
  gridTemplateColumns: {
    xs: 'minmax(0, 1fr)',
    md: '150px minmax(160px, 1fr) 100px minmax(200px, 1.4fr) auto',
  },
} as const;

interface SubjectProps {
  readonly question: Question;
  readonly onChange: (id: string) => void;
}

const Subject = ({ question: { caller, id }, onChange }: SubjectProps) => {
  const text = useText();
  const label = text(`explain.callers.${caller}`);
  const number = Number(id) || null;
  if (caller === 'user_id')
    return <UserPicker label={label} value={number} onChange={(user) => onChange(String(user ?? ''))} />;
  if (caller === 'api_key_id')
    return <KeyPicker label={label} value={number} onChange={(key) => onChange(String(key ?? ''))} />;
  if (caller === 'app_id')
    return (
      <TextField margin="none" label={label} value={id} onChange={(event) => onChange(event.target.value)} />
    );
  return <span />;
};
