import AppsIcon from '@mui/icons-material/AppsOutlined';
import BadgeIcon from '@mui/icons-material/BadgeOutlined';
import GridIcon from '@mui/icons-material/GridOnOutlined';
import HistoryIcon from '@mui/icons-material/HistoryOutlined';
import HomeIcon from '@mui/icons-material/HomeOutlined';
import KeyIcon from '@mui/icons-material/KeyOutlined';
import PaymentIcon from '@mui/icons-material/PaymentsOutlined';
import PeopleIcon from '@mui/icons-material/PeopleOutlined';
import QuestionIcon from '@mui/icons-material/RuleOutlined';
import WebhookIcon from '@mui/icons-material/WebhookOutlined';
import JobsIcon from '@mui/icons-material/WorkHistoryOutlined';
import type { ComponentType } from 'react';
import type { ModelEntry } from '../records/metadata.ts';
import { useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { iconOf } from './icon-of.tsx';

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

/** The models under the headings that they name, in the order of these; the others stand first, under the usual one. */
const modelGroups = (models: readonly ModelEntry[], usual: string): readonly PlaceGroup[] => {
  const others = models.filter(({ menu }) => menu === null);
  const named = models.filter(({ menu }) => menu !== null);
  return [...Map.groupBy([...others, ...named], ({ menu }) => menu ?? usual)].map(([label, entries]) => ({
    label,
    places: entries.map(({ label: name, path, icon }) => ({
      ...{ to: `/records/${path}`, label: name, icon: iconOf(icon) },
    })),
  }));
};

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
    ...modelGroups(models, text('menu.records')),
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
        { to: '/jobs', label: text('jobs.title'), icon: JobsIcon },
        { to: '/audit', label: text('audit.title'), icon: HistoryIcon },
      ],
    },
  ].filter(({ places }) => places.length > 0);
};
