import AppsIcon from '@mui/icons-material/AppsOutlined';
import BadgeIcon from '@mui/icons-material/BadgeOutlined';
import GridIcon from '@mui/icons-material/GridOnOutlined';
import HistoryIcon from '@mui/icons-material/HistoryOutlined';
import HomeIcon from '@mui/icons-material/HomeOutlined';
import KeyIcon from '@mui/icons-material/KeyOutlined';
import PaymentIcon from '@mui/icons-material/PaymentsOutlined';
import PeopleIcon from '@mui/icons-material/PeopleOutlined';
import QuestionIcon from '@mui/icons-material/RuleOutlined';
import TableIcon from '@mui/icons-material/TableRowsOutlined';
import WebhookIcon from '@mui/icons-material/WebhookOutlined';
import type { ComponentType } from 'react';
import { useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';

/** A page that the menu and the palette lead to. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly fontSize?: 'small' }>;
}

export interface PlaceGroup {
  readonly label: string;
  readonly places: readonly Place[];
}

export const usePlaces = (): readonly PlaceGroup[] => {
  const text = useText();
  const models = useModels();
  return [
    { label: '', places: [{ to: '/', label: text('start.title'), icon: HomeIcon }] },
    {
      label: text('menu.people'),
      places: [
        { to: '/api_keys', label: text('keys.title'), icon: KeyIcon },
        { to: '/users', label: text('users.title'), icon: PeopleIcon },
      ],
    },
    {
      label: text('menu.records'),
      places: models.map(({ label, path }) => ({ to: `/records/${path}`, label, icon: TableIcon })),
    },
    {
      label: text('menu.settings'),
      places: [
        { to: '/roles', label: text('roles.title'), icon: BadgeIcon },
        { to: '/permissions', label: text('permissions.title'), icon: GridIcon },
        { to: '/explain', label: text('explain.title'), icon: QuestionIcon },
      ],
    },
    {
      label: text('menu.watch'),
      places: [
        { to: '/applications', label: text('applications.title'), icon: AppsIcon },
        { to: '/payments', label: text('payments.title'), icon: PaymentIcon },
        // Where nothing tells of events there are none.
        ...(models.some(({ events }) => events)
          ? [{ to: '/webhooks', label: text('webhooks.title'), icon: WebhookIcon }]
          : []),
        { to: '/audit', label: text('audit.title'), icon: HistoryIcon },
      ],
    },
  ].filter(({ places }) => places.length > 0);
};
