/** The form of a new or existing webhook. */

import Autocomplete from '@mui/material/Autocomplete';
import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormGroup from '@mui/material/FormGroup';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { UserPicker } from '../parts/own-pickers.tsx';
import { PageForm } from '../parts/page-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { useListbox } from '../parts/use-listbox.ts';
import { useOwnRecord } from '../records/own-show.tsx';
import { useModels } from '../records/use-metadata.ts';
import { dataProvider, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { ShownSecret } from './shown-secret.tsx';
import { type Webhook, type WebhookAction, webhookActions, webhookName } from './webhook.ts';

type Draft = Pick<Webhook, 'url' | 'models' | 'actions' | 'user_id'>;

interface ModelsProps {
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (models: readonly string[]) => void;
}

/** The models that can be sent, and those of the webhook, which may be gone. */
const Models = ({ chosen, error, onChange }: ModelsProps) => {
  const text = useText();
  const { listbox } = useListbox();
  const eventModels = useModels().filter(({ events }) => events);
  const names = eventModels.map(({ model }) => model);
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      options={[...names, ...chosen.filter((name) => !names.includes(name))]}
      value={[...chosen]}
      {...listbox}
      getOptionLabel={(name) => eventModels.find(({ model }) => model === name)?.plural_label ?? name}
      onChange={(_event, models) => onChange(models)}
      noOptionsText={text('webhooks.noModels')}
      renderInput={(parameters) => (
        <TextField
          {...parameters}
          label={text('webhooks.models')}
          required
          error={error !== undefined}
          helperText={error ?? text('webhooks.modelsHelp')}
        />
      )}
    />
  );
};

interface FieldsProps {
  readonly draft: Draft;
  readonly errors: Readonly<Record<string, string>>;
  /** True if the acting user can be chosen. */
  readonly canChooseUser: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}

const Fields = ({ draft, errors, canChooseUser, onChange: change }: FieldsProps) => {
  const text = useText();
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
      <Models chosen={draft.models} error={errors['models']} onChange={(models) => change({ models })} />
      <Actions chosen={draft.actions} error={errors['actions']} onChange={(actions) => change({ actions })} />
      {canChooseUser ? (
        <>
          <UserPicker
            label={text('webhooks.user')}
            value={draft.user_id}
            onChange={(user_id) => change({ user_id })}
            error={errors['user_id']}
            required
          />
          <FormHelperText sx={{ mt: -1, mx: 0 }}>{text('webhooks.userHelp')}</FormHelperText>
        </>
      ) : null}
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

const empty: Draft = { url: '', models: [], actions: webhookActions, user_id: null };

export const NewWebhook = () => {
  const text = useText();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Webhook & { readonly secret: string }>();
  return (
    <>
      <PageForm<Draft>
        title={text('webhooks.create')}
        lead={text('webhooks.formLead')}
        first={empty}
        back="/webhooks"
        action={text('webhooks.create')}
        onSave={async (webhook) => {
          const { data } = await send<Webhook & { readonly secret: string }>('POST', '/admin/webhooks', {
            body: { webhook },
          });
          return () => setCreated(data);
        }}
      >
        {(draft, change, errors) => <Fields canChooseUser draft={draft} errors={errors} onChange={change} />}
      </PageForm>
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
  const text = useText();
  const navigate = useNavigate();
  const changed = useChanged();
  return (
    <Loaded query={useOwnRecord<Webhook>('webhooks', true)}>
      {(webhook) => {
        const { id, url, models, actions, user_id } = webhook;
        return (
          <PageForm<Draft>
            title={text('webhooks.edit', { name: webhookName(webhook) })}
            lead={text('webhooks.formLead')}
            first={{ url, models, actions, user_id }}
            back={`/webhooks/${id}/show`}
            onSave={async (draft) => {
              const data = { ...draft };
              await dataProvider.update<Webhook>('webhooks', { id, data, previousData: webhook });
              await changed(text('common.saved'));
              return () => navigate(`/webhooks/${id}/show`);
            }}
          >
            {(draft, change, errors) => (
              <Fields canChooseUser={!webhook.managed} draft={draft} errors={errors} onChange={change} />
            )}
          </PageForm>
        );
      }}
    </Loaded>
  );
};
