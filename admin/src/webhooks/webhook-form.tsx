import Autocomplete from '@mui/material/Autocomplete';
import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { type FormEvent, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { FormBar } from '../parts/form-bar.tsx';
import { Page } from '../parts/page.tsx';
import { useRefusal } from '../parts/refusal.ts';
import { useUnsaved } from '../parts/unsaved.ts';
import { useInput } from '../parts/use-input.ts';
import { UserPicker } from '../parts/user-picker.tsx';
import { useModels } from '../records/use-metadata.ts';
import { dataProvider, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { ShownSecret } from './shown-secret.tsx';
import { type Webhook, type WebhookAction, webhookActions, webhookName } from './webhook.ts';

type Draft = Pick<Webhook, 'url' | 'models' | 'actions' | 'user_id'>;
type Errors = Readonly<Record<string, string>>;

interface FieldsProps {
  readonly draft: Draft;
  readonly errors: Errors;
  readonly onChange: (draft: Draft) => void;
}

const Fields = ({ draft, errors, onChange }: FieldsProps) => {
  const text = useText();
  const told = useModels().filter(({ events }) => events);
  const change = (part: Partial<Draft>): void => onChange({ ...draft, ...part });
  const models = [
    ...told.map(({ model }) => model),
    ...draft.models.filter((name) => !told.some(({ model }) => model === name)),
  ];
  return (
    <>
      <TextField
        label={text('webhooks.url')}
        type="url"
        required
        value={draft.url}
        onChange={(event) => change({ url: event.target.value })}
        error={errors['url'] !== undefined}
        helperText={errors['url'] ?? text('webhooks.urlHelp')}
        slotProps={{ htmlInput: { spellCheck: false, autoComplete: 'off' } }}
      />
      <Autocomplete
        multiple
        disableCloseOnSelect
        options={models}
        value={[...draft.models]}
        getOptionLabel={(name) => told.find(({ model }) => model === name)?.label ?? name}
        onChange={(_event, chosen) => change({ models: chosen })}
        noOptionsText={text('webhooks.noModels')}
        clearText={text('common.clear')}
        openText={text('common.open')}
        closeText={text('common.close')}
        renderInput={(parameters) => (
          <TextField
            {...parameters}
            label={text('webhooks.models')}
            required
            error={errors['models'] !== undefined}
            helperText={errors['models'] ?? text('webhooks.modelsHelp')}
          />
        )}
      />
      <Actions chosen={draft.actions} error={errors['actions']} onChange={(actions) => change({ actions })} />
      <UserPicker
        label={text('webhooks.user')}
        value={draft.user_id}
        onChange={(user_id) => change({ user_id })}
        error={errors['user_id']}
        required
      />
      <FormHelperText sx={{ mt: -1, mx: 1.75 }}>{text('webhooks.userHelp')}</FormHelperText>
    </>
  );
};

interface ActionsProps {
  readonly chosen: readonly WebhookAction[];
  readonly error: string | undefined;
  readonly onChange: (actions: readonly WebhookAction[]) => void;
}

const Actions = ({ chosen, error, onChange }: ActionsProps) => {
  const text = useText();
  return (
    <FormControl component="fieldset" error={error !== undefined}>
      <FormLabel component="legend">{text('webhooks.actions')}</FormLabel>
      <FormGroup row>
        {webhookActions.map((action) => (
          <FormControlLabel
            key={action}
            label={text(`history.actions.${action}`)}
            control={
              <Checkbox
                checked={chosen.includes(action)}
                slotProps={{ input: { 'aria-invalid': error !== undefined } }}
                onChange={({ target }) =>
                  onChange(
                    webhookActions.filter((each) =>
                      each === action ? target.checked : chosen.includes(each),
                    ),
                  )
                }
              />
            }
          />
        ))}
      </FormGroup>
      {error === undefined ? null : <FormHelperText>{error}</FormHelperText>}
    </FormControl>
  );
};

interface WebhookFormProps {
  readonly title: string;
  readonly first: Draft;
  readonly back: string;
  readonly action: string;
  readonly save: (draft: Draft, saved: () => void) => Promise<void>;
}

const WebhookForm = ({ title, first, back, action, save }: WebhookFormProps) => {
  const text = useText();
  const { input, changes, put, discard } = useInput(first);
  const { saved } = useUnsaved(changes > 0);
  const { refusal, refuse, clear } = useRefusal();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    clear();
    try {
      await save(input, saved);
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Page title={title} lead={text('webhooks.formLead')} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack component="form" noValidate onSubmit={(event) => void submit(event)} sx={{ gap: 1.5 }}>
          <Fields draft={input} errors={refusal.fields} onChange={put} />
          <FormBar
            changes={changes}
            refusal={refusal}
            fields={Object.keys(input)}
            busy={busy}
            action={action}
            back={back}
            onDiscard={discard}
          />
        </Stack>
      </Paper>
    </Page>
  );
};

const nothing: Draft = { url: '', models: [], actions: webhookActions, user_id: null };

export const NewWebhook = () => {
  const text = useText();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Webhook & { readonly secret: string }>();
  return (
    <>
      <WebhookForm
        title={text('webhooks.create')}
        first={nothing}
        back="/webhooks"
        action={text('webhooks.create')}
        save={async (draft, saved) => {
          const answer = await send<Webhook & { readonly secret: string }>('POST', '/admin/webhooks', {
            body: { webhook: draft },
          });
          saved();
          setCreated(answer.data);
        }}
      />
      {created === undefined ? null : (
        <ShownSecret
          title={text('webhooks.createdTitle')}
          secret={created.secret}
          onClose={() => void navigate(`/webhooks/${created.id}/show`)}
        />
      )}
    </>
  );
};

export const EditWebhook = () => {
  const { id = '' } = useParams();
  const text = useText();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: webhook, error } = useQuery({
    queryKey: ['edited webhook', id],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await dataProvider.getOne<Webhook>('webhooks', { id: Number(id) })).data,
  });
  if (error) return <FailurePage error={error} />;
  if (webhook === undefined) return <Waiting />;
  const { url, models, actions, user_id } = webhook;
  return (
    <WebhookForm
      title={text('webhooks.edit', { name: webhookName(webhook) })}
      first={{ url, models, actions, user_id }}
      back={`/webhooks/${id}/show`}
      action={text('common.save')}
      save={async (draft, saved) => {
        await dataProvider.update<Webhook>('webhooks', {
          id: webhook.id,
          data: { ...draft },
          previousData: webhook,
        });
        await client.invalidateQueries();
        notify(text('common.saved'), { type: 'success' });
        saved();
        await navigate(`/webhooks/${id}/show`);
      }}
    />
  );
};
