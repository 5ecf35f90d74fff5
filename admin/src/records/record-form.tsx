import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNotify } from 'react-admin';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { etagField } from '../../../client/react-admin/data-provider.ts';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf, useTell } from '../parts/problem.ts';
import { dataProvider, recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Conflict } from './conflict.tsx';
import { FieldInput } from './field-input.tsx';
import type { Metadata } from './metadata.ts';
import { notJson } from './not-json.ts';
import { type AnyRecord, recordName } from './record.ts';
import { WithMetadata } from './with-metadata.tsx';

type Draft = Readonly<Record<string, unknown>>;

export const RecordCreate = () => {
  const { path = '' } = useParams();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) => <Create metadata={metadata} path={path} />}
    </WithMetadata>
  );
};

export const RecordEdit = () => {
  const { path = '', id = '' } = useParams();
  return (
    <WithMetadata key={`${path} ${id}`} path={path}>
      {(metadata) => <Edit metadata={metadata} path={path} id={id} />}
    </WithMetadata>
  );
};

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

interface RecordFormProps {
  readonly metadata: Metadata;
  readonly title: string;
  readonly first: Draft;
  readonly path: string;
  /** Reads the record again; absent for a new one. */
  readonly reload?: () => Promise<AnyRecord>;
  /** Saves what differs from `before`; answers the id. */
  readonly save: (draft: Draft, before: Draft) => Promise<number>;
}

const RecordForm = ({ metadata, title, first, path, reload, save }: RecordFormProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [before, setBefore] = useState(first);
  const [draft, setDraft] = useState(first);
  const [version, setVersion] = useState(0);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [theirs, setTheirs] = useState<AnyRecord>();
  const [busy, setBusy] = useState(false);
  const fields = metadata.fields.filter((field) => !field.read_only);
  const broken = fields.some(({ name }) => draft[name] === notJson);
  const shown = typeof first['id'] === 'number' ? `/records/${path}/${first['id']}/show` : `/records/${path}`;

  const fail = async (error: unknown): Promise<void> => {
    const { status, fields: found } = failureOf(error);
    setErrors(found);
    if (status === 412 && reload !== undefined) setTheirs(await reload());
    else if (Object.keys(found).length === 0) tell(error);
  };

  const submit = async (values: Draft, base: Draft): Promise<void> => {
    setBusy(true);
    setErrors({});
    try {
      const id = await save(values, base);
      await client.invalidateQueries();
      notify(text('common.saved'), { type: 'success' });
      await navigate(`/records/${path}/${id}/show`);
    } catch (error) {
      await fail(error).catch(tell);
      setBusy(false);
    }
  };

  return (
    <Page title={title} narrow>
      <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 } }}>
        <Stack
          component="form"
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void submit(draft, before);
          }}
          sx={{ gap: 0.5 }}
        >
          {fields.map((field) => (
            <FieldInput
              key={`${field.name} ${version}`}
              field={field}
              value={draft[field.name]}
              error={errors[field.name]}
              onChange={(value) => setDraft((current) => ({ ...current, [field.name]: value }))}
            />
          ))}
          <Stack direction="row" sx={{ gap: 1, mt: 2 }}>
            <Button type="submit" variant="contained" loading={busy} disabled={broken}>
              {text('common.save')}
            </Button>
            <LinkButton to={shown}>{text('common.cancel')}</LinkButton>
          </Stack>
        </Stack>
      </Paper>
      {theirs === undefined ? null : (
        <Conflict
          metadata={metadata}
          before={before}
          mine={draft}
          theirs={theirs}
          onClose={() => setTheirs(undefined)}
          onTheirs={() => {
            setBefore(theirs);
            setDraft(theirs);
            setVersion(version + 1);
            setTheirs(undefined);
          }}
          onMine={(kept) => {
            // On top of what the other one has saved: only the fields that were changed here are sent again.
            const merged = { ...theirs, ...kept, [etagField]: theirs[etagField] };
            setBefore(theirs);
            setDraft(merged);
            setVersion(version + 1);
            setTheirs(undefined);
            void submit(merged, theirs);
          }}
        />
      )}
    </Page>
  );
};
