import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';

/** Response times of a route, as `/admin/routes` returns them. */
export interface RouteTimes {
  readonly id: string;
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
}

const columns = (text: Text): OwnColumn<RouteTimes>[] => [
  { name: 'name', fixed: true, render: ({ name }) => <code>{name}</code> },
  { name: 'p95', render: ({ p95 }) => text('routes.atMost', { milliseconds: p95 }) },
  { name: 'p50', render: ({ p50 }) => text('routes.atMost', { milliseconds: p50 }) },
  'requests',
  'refused',
  'failed',
];

/** The routes of the API, the slowest first. */
export const Routes = () => {
  const text = useText();
  return (
    <OwnList<RouteTimes>
      resource="routes"
      title={text('titles.routes')}
      lead={text('routes.lead')}
      columns={columns(text)}
      hidden={['method', 'route']}
      sort={{ field: 'p95', order: 'DESC' }}
      empty={text('routes.empty')}
    />
  );
};
