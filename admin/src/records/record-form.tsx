import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { FormBar } from '../parts/form-bar.tsx';
import { Page } from '../parts/page.tsx';
import { useRefusal } from '../parts/refusal.ts';
import { UngrantedNotice } from '../parts/ungranted.tsx';
import { useUnsaved } from '../parts/unsaved.ts';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Conflict } from './conflict.tsx';
import { FieldInput } from './field-input.tsx';
import { FormLayout } from './form-layout.tsx';
import { inGroups } from './groups.ts';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, recordName } from './record.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { type RecordFormProps, useSave } from './use-save.ts';
import { WithMetadata } from './with-metadata.tsx';

export const RecordCreate = () => {
  const { path = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) =>
        metadata.permissions.create ? (
          <Create metadata={metadata} path={path} />
        ) : (
          <Refused
            title={text('records.create', { label: metadata.label })}
            metadata={metadata}
            action="create"
          />
        )
      }
    </WithMetadata>
  );
};

export const RecordEdit = () => {
  const { path = '', id = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) =>
        metadata.permissions.update ? (
          <Edit metadata={metadata} path={path} id={id} />
        ) : (
          <Refused
            title={text('records.edit', { label: metadata.label, name: `#${id}` })}
            metadata={metadata}
            action="update"
          />
        )
      }
    </WithMetadata>
  );
};

interface RefusedProps {
  readonly title: string;
  readonly metadata: Metadata;
  readonly action: 'create' | 'update';
}

/** Said before anything is typed that could not be saved. */
const Refused = ({ title, metadata, action }: RefusedProps) => (
  <Page title={title} narrow>
    <UngrantedNotice action={action} label={metadata.label} />
  </Page>
);

const defaultsOf = ({ fields }: Metadata): Draft =>
  Object.fromEntries(
    fields.flatMap((field) =>
      field.read_only || field.default === undefined ? [] : [[field.name, field.default]],
    ),
  );

/** What the address says that a new record refers to: `?user_id=3`. */
const referredIn = ({ fields }: Metadata, parameters: URLSearchParams): Draft =>
  Object.fromEntries(
    fields.flatMap(({ name, type, read_only }) => {
      const id = type === 'reference' && !read_only ? Number(parameters.get(name)) : 0;
      return Number.isSafeInteger(id) && id > 0 ? [[name, id]] : [];
    }),
  );

const Create = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const text = useText();
  const [parameters] = useSearchParams();
  return (
    <RecordForm
      metadata={metadata}
      title={text('records.create', { label: metadata.label })}
      first={{ ...defaultsOf(metadata), ...referredIn(metadata, parameters) }}
      path={path}
      save={async (draft) =>
        (await dataProvider.create<AnyRecord>(recordsPrefix + path, { data: { ...draft } })).data.id
      }
    />
  );
};

interface EditProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

const Edit = ({ metadata, path, id }: EditProps) => {
  const text = useText();
  const resource = recordsPrefix + path;
  const load = async (): Promise<AnyRecord> =>
    (await dataProvider.getOne<AnyRecord>(resource, { id: Number(id) })).data;
  // What a form began with must not change under it.
  const { data: record, error } = useQuery({
    queryKey: ['edited record', path, id],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: load,
  });
  if (error) return <FailurePage error={error} />;
  if (record === undefined) return <Waiting />;
  return (
    <RecordForm
      metadata={metadata}
      title={text('records.edit', { label: metadata.label, name: recordName(metadata, record) })}
      first={record}
      path={path}
      reload={load}
      save={async (draft, before) => {
        const previousData = before as AnyRecord;
        await dataProvider.update<AnyRecord>(resource, { id: record.id, data: { ...draft }, previousData });
        return record.id;
      }}
    />
  );
};

const RecordForm = (props: RecordFormProps) => {
  const { metadata, title, first, path } = props;
  const text = useText();
  const fields = inGroups(metadata.fields.filter((field) => !field.read_only));
  const { before, draft, version, changed, broken, type, put, discard } = useDraft(first, fields);
  const refusals = useRefusal();
  const { refusal, refuseFields, correct, clear } = refusals;
  const { saved } = useUnsaved(changed.length > 0);
  const { busy, submit, theirs, setTheirs } = useSave(props, refusals, saved);
  const unreadable = Object.fromEntries(broken.map((name) => [name, text('records.notJson')]));
  const wrong = { ...refusal.fields, ...unreadable };
  const shown = typeof first['id'] === 'number' ? `/records/${path}/${first['id']}/show` : `/records/${path}`;

  return (
    <Page title={title} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack
          component="form"
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (broken.length > 0) refuseFields(wrong);
            else void submit(draft, before);
          }}
          sx={{ gap: 0.5 }}
        >
          <FormLayout fields={fields} wrong={wrong}>
            {(field) => (
              <FieldInput
                key={`${field.name} ${version}`}
                field={field}
                value={draft[field.name]}
                error={wrong[field.name]}
                onChange={(value) => {
                  type(field.name, value);
                  correct(field.name);
                }}
              />
            )}
          </FormLayout>
          <FormBar
            changes={changed.length}
            refusal={{ ...refusal, fields: wrong }}
            fields={fields.map(({ name }) => name)}
            busy={busy}
            back={shown}
            onDiscard={() => {
              clear();
              return discard();
            }}
          />
        </Stack>
      </Paper>
      {theirs === undefined ? null : (
        <Conflict
          metadata={metadata}
          before={before}
          mine={draft}
          theirs={theirs}
          onClose={() => setTheirs(undefined)}
          onContinue={(merged) => {
            put({ before: theirs, draft: merged });
            setTheirs(undefined);
          }}
          onSave={(merged) => {
            put({ before: theirs, draft: merged });
            setTheirs(undefined);
            void submit(merged, theirs);
          }}
        />
      )}
    </Page>
  );
};
