/** Pages of the service's own records, with labels from the description of the list. */

import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import type { RaRecord } from 'ra-core';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { Loaded } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page } from '../parts/page.tsx';
import { RevealWhenLoaded } from '../parts/reveal-when-loaded.tsx';
import { dataProvider } from '../service.ts';
import { columnsOf, type OwnColumn } from './own-list.tsx';
import { useListFields } from './use-metadata.ts';

/** The record in the address. A form keeps the version that it started with. */
export const useOwnRecord = <Item extends RaRecord>(
  resource: string,
  isForm = false,
  rereadingOf?: (record: Item) => number | false,
) => {
  const { id = '' } = useParams();
  return useQuery<Item>({
    queryKey: ['own record', resource, id, isForm],
    ...(isForm ? { gcTime: 0, staleTime: Number.POSITIVE_INFINITY } : {}),
    queryFn: async () => (await dataProvider.getOne<Item>(resource, { id })).data,
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : (rereadingOf?.(data) ?? false)),
  });
};

interface OwnFactsProps<Item extends RaRecord> {
  /** The list with the fields of the record. */
  readonly list: string;
  readonly record: Item;
  /** Fields in their order, as columns of a list. */
  readonly facts: readonly OwnColumn<Item>[];
}

/** The fields of a record of the service, under the labels of the service. */
export const OwnFacts = <Item extends RaRecord>({ list, record, facts }: OwnFactsProps<Item>) => {
  const { data: fields } = useListFields(list);
  if (fields === undefined) return null;
  const shown = columnsOf(facts, fields, true).filter(({ has }) => has?.(record) ?? true);
  return <Facts facts={shown.map(({ label, render }) => [label, render(record)])} />;
};

interface OwnShowProps<Item extends RaRecord> {
  /** The list of the record. */
  readonly resource: string;
  readonly titleOf: (record: Item) => string;
  readonly leadOf?: (record: Item) => string;
  /** Name of the list. */
  readonly within?: string;
  readonly facts: OwnFactsProps<Item>['facts'];
  readonly actions: (record: Item) => ReactNode;
  /** Milliseconds until the record is read again; false if only actions of the user change it. */
  readonly rereadingOf?: (record: Item) => number | false;
  /** Elements above the facts. */
  readonly notice?: (record: Item) => ReactNode;
  /** Elements below the facts. */
  readonly children?: (record: Item) => ReactNode;
}

/** The page of a record of the service. */
export const OwnShow = <Item extends RaRecord>(props: OwnShowProps<Item>) => {
  const { resource, titleOf, leadOf, within, facts, actions, notice, children } = props;
  const query = useOwnRecord<Item>(resource, false, props.rereadingOf);
  const { data: fields } = useListFields(resource);
  if (fields === undefined && !query.error) return <Waiting />;
  return (
    <Loaded query={query}>
      {(record) => (
        <Page
          key={record.id}
          title={titleOf(record)}
          within={within === undefined ? undefined : { to: `/${resource}`, label: within }}
          lead={leadOf?.(record)}
          actions={actions(record)}
        >
          <Stack sx={{ gap: 2.5 }}>
            {notice?.(record)}
            <OwnFacts list={resource} record={record} facts={facts} />
            {children === undefined ? null : <RevealWhenLoaded>{children(record)}</RevealWhenLoaded>}
          </Stack>
        </Page>
      )}
    </Loaded>
  );
};
