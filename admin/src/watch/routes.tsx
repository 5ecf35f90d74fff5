import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useLanguage, useText } from '../texts/provider.ts';

/** Response times of a route, as `/admin/routes` returns them. */
export interface RouteTimes {
  readonly id: string;
  readonly name: string;
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
}

/** The headings name the unit. */
const columns = (format: Intl.NumberFormat): OwnColumn<RouteTimes>[] => [
  { name: 'name', fixed: true, render: ({ name }) => <code>{name}</code> },
  { name: 'p95', render: ({ p95 }) => `≤ ${format.format(p95)}` },
  { name: 'p50', render: ({ p50 }) => `≤ ${format.format(p50)}` },
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
      columns={columns(new Intl.NumberFormat(useLanguage()))}
      hidden={['method', 'route']}
      sort={{ field: 'p95', order: 'DESC' }}
      empty={text('routes.empty')}
    />
  );
};
