/** The page of a deleted record, with its data in the trash and in its history. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import { ForgetRecord } from '../deletion/forget-record.tsx';
import { historyPath, keepsHistory } from '../history/version.ts';
import { FailurePage, RecordNotFound } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Facts } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { failureOf } from '../parts/problem.ts';
import { UngrantedButton } from '../parts/ungranted.tsx';
import { FieldValue } from '../records/field-value.tsx';
import type { Metadata } from '../records/metadata.ts';
import { recordName } from '../records/record.ts';
import { recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { DeletedBy } from './deleted-by.tsx';
import { Refusals } from './refusals.tsx';
import { loadTrashed, type TrashedRecord, trashPath } from './trashed.ts';
import { useRestore } from './undo.tsx';

interface DeletedRecordProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: string;
}

interface Remains {
  readonly trashed: TrashedRecord | undefined;
  readonly hasHistory: boolean;
}

const undefinedIfRefused = async <Found,>(
  asked: boolean,
  ask: () => Promise<Found>,
): Promise<Found | undefined> => {
  if (!asked) return undefined;
  try {
    return await ask();
  } catch (error) {
    if (failureOf(error).status === 404) return undefined;
    throw error;
  }
};

const remainsOf = async ({ metadata, path, id }: DeletedRecordProps): Promise<Remains> => {
  const versions = `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}/history?per_page=1`;
  const [trashed, history] = await Promise.all([
    undefinedIfRefused(metadata.trash === true, () => loadTrashed(path, id)),
    undefinedIfRefused(keepsHistory(metadata), () => send('GET', versions)),
  ]);
  return { trashed, hasHistory: history !== undefined };
};

/** Replaces the page of a deleted record of which the service still has something: in the trash, or its history. */
export const DeletedRecord = (props: DeletedRecordProps) => {
  const { path, id } = props;
  const { data: remains, error } = useQuery({
    queryKey: ['remains', path, id],
    queryFn: () => remainsOf(props),
  });
  if (error) return <FailurePage error={error} />;
  if (remains === undefined) return <Waiting />;
  if (remains.trashed === undefined && !remains.hasHistory) return <RecordNotFound />;
  return <Remains {...props} {...remains} />;
};

const Remains = ({ metadata, path, id, trashed, hasHistory }: DeletedRecordProps & Remains) => {
  const text = useText();
  const { busy, refused, bringBack } = useRestore(path);
  const name = trashed === undefined ? `#${id}` : recordName(metadata, trashed);
  return (
    <Page
      title={name}
      within={{ to: `/records/${path}`, label: metadata.plural_label }}
      actions={
        <>
          <LinkButton to={metadata.trash === true ? trashPath(path) : `/records/${path}`}>
            {text(metadata.trash === true ? 'trash.link' : 'common.toList')}
          </LinkButton>
          {hasHistory ? (
            <LinkButton to={historyPath(path, id)} startIcon={<Icon name="history" />}>
              {text('history.link')}
            </LinkButton>
          ) : null}
          {metadata.permissions.destroy ? <ForgetRecord path={path} id={id} name={name} deleted /> : null}
          {trashed !== undefined && metadata.permissions.create ? (
            <Button
              variant="contained"
              startIcon={<Icon name="restore" />}
              loading={busy.length > 0}
              onClick={() => void bringBack([trashed.id])}
            >
              {text('trash.restore')}
            </Button>
          ) : null}
          {trashed !== undefined && !metadata.permissions.create ? (
            <UngrantedButton action="create" label={metadata.plural_label}>
              {text('trash.restore')}
            </UngrantedButton>
          ) : null}
        </>
      }
    >
      <Stack sx={{ gap: 1.5 }}>
        <Alert severity="warning">
          {text('history.gone')}
          {trashed === undefined ? null : <DeletedBy record={trashed} />}
        </Alert>
        <Refusals refused={refused} nameOf={() => name} />
        {trashed === undefined ? null : (
          <Facts
            facts={metadata.fields.map((field) => [
              field.label,
              <FieldValue key={field.name} field={field} value={trashed[field.name]} whole />,
            ])}
          />
        )}
      </Stack>
    </Page>
  );
};
