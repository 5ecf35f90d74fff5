/** The records that belong to a record, on its page. */

import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { ListBase, useListContext } from 'ra-core';
import { lazy, Suspense, useState } from 'react';
import { failureShownHere } from '../parts/failed.tsx';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Listed } from '../parts/listed.tsx';
import { UngrantedButton, UngrantedNotice } from '../parts/ungranted.tsx';
import { recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { useColumns } from './columns.tsx';
import { linesOf, maxLines } from './lines.ts';
import type { Metadata, MetadataRelation } from './metadata.ts';
import type { AnyRecord, RecordId } from './record.ts';
import { useModel } from './use-metadata.ts';

const LinesForm = lazy(async () => ({ default: (await import('./lines-form.tsx')).LinesForm }));

/** Number of shown records; the linked list has all of them. */
const shown = 5;

interface Target {
  readonly metadata: Metadata;
  readonly path: string;
}

interface RelatedProps {
  readonly relation: MetadataRelation;
  /** Id of the record to which they belong. */
  readonly id: RecordId;
  /** Resource of that record. */
  readonly of: Target;
}

/** The newest records that belong to one, with links to all of them and to a new one. */
export const RelatedRecords = ({ relation, id, of }: RelatedProps) => {
  const { data: target } = useModel(relation.model);
  const { by } = relation;
  if (target === undefined || by === undefined) return null;
  const { plural_label: labels, permissions } = target.metadata;
  if (!permissions.list) return <UngrantedNotice action="read" label={labels} />;
  return (
    <ListBase
      resource={recordsPrefix + target.path}
      filter={{ [by]: id }}
      perPage={shown}
      sort={{ field: 'id', order: 'DESC' }}
      storeKey={false}
      disableSyncWithLocation
      disableAuthentication
      exporter={false}
      queryOptions={failureShownHere}
    >
      <Section relation={relation} by={by} id={id} of={of} target={target} />
    </ListBase>
  );
};

interface SectionProps extends RelatedProps {
  readonly by: string;
  readonly target: Target;
}

const Section = ({ relation: { label, name }, by, id, of, target: { metadata, path } }: SectionProps) => {
  const text = useText();
  const [editing, setEditing] = useState(false);
  const field = linesOf(of.metadata, 'update').find((each) => each.name === name);
  const { total } = useListContext<AnyRecord>();
  const columns = useColumns(metadata, path, by);
  const filter = encodeURIComponent(JSON.stringify({ [by]: id }));
  return (
    <Stack sx={{ gap: 1 }}>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Typography variant="h2" sx={{ flexGrow: 1 }}>
          {label}
        </Typography>
        {field === undefined || editing || total === undefined || total > maxLines ? null : (
          <Button size="small" onClick={() => setEditing(true)}>
            {text('records.lines.edit')}
          </Button>
        )}
        {total === undefined || total === 0 ? null : (
          <LinkButton to={`/records/${path}?filter=${filter}`} size="small">
            {text('records.all', { count: total })}
          </LinkButton>
        )}
        {metadata.permissions.create ? (
          <LinkButton
            to={`/records/${path}/create?${by}=${encodeURIComponent(id)}`}
            size="small"
            startIcon={<Icon name="plus" />}
          >
            {text('records.create', { label: metadata.label })}
          </LinkButton>
        ) : (
          <UngrantedButton action="create" label={metadata.plural_label} size="small">
            {text('records.create', { label: metadata.label })}
          </UngrantedButton>
        )}
      </Stack>
      {editing && field !== undefined ? (
        <Paper variant="outlined" sx={{ p: { xs: 2, sm: 3 }, pt: 2 }}>
          <Suspense>
            <LinesForm {...of} id={id} field={field} onEnd={() => setEditing(false)} />
          </Suspense>
        </Paper>
      ) : (
        <Listed<AnyRecord>
          label={label}
          columns={columns}
          empty={text('records.empty', { labels: metadata.plural_label })}
          paged={false}
          expected={shown}
        />
      )}
    </Stack>
  );
};
