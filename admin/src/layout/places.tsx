/** The pages in the menu and the palette, by groups. */

import { type IconName, modelIcon } from '../parts/icon.tsx';
import type { ModelEntry } from '../records/metadata.ts';
import { useKnownModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';

/** A page in the menu and the palette. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

export interface PlaceGroup {
  readonly label: string;
  readonly places: readonly Place[];
}

/**
 * Models under their own headings, in the order of the models; models without one come first, under the usual heading.
 */
const modelGroups = (models: readonly ModelEntry[], usual: string): readonly PlaceGroup[] => {
  const others = models.filter(({ menu }) => menu === null);
  const named = models.filter(({ menu }) => menu !== null);
  return [...Map.groupBy([...others, ...named], ({ menu }) => menu ?? usual)].map(([label, entries]) => ({
    label,
    places: entries.map(({ plural_label: name, path, icon }) => ({
      to: `/records/${path}`,
      label: name,
      icon: modelIcon(icon),
    })),
  }));
};

/** Places that do not depend on models come first, so that nothing moves when the models arrive. */
export const usePlaces = (): { readonly groups: readonly PlaceGroup[]; readonly known: boolean } => {
  const text = useText();
  const { models, known } = useKnownModels();
  // A service without events sends no webhooks.
  const hasEvents = models.some(({ events }) => events);
  const webhooks: readonly Place[] = hasEvents
    ? [{ to: '/webhooks', label: text('titles.webhooks'), icon: 'webhook' }]
    : [];
  const activity: readonly Place[] = hasEvents
    ? [{ to: '/activity', label: text('titles.activity'), icon: 'list' }]
    : [];
  const groups: readonly PlaceGroup[] = [
    { label: '', places: [{ to: '/', label: text('titles.start'), icon: 'home' }] },
    {
      label: text('menu.people'),
      places: [
        { to: '/api_keys', label: text('titles.keys'), icon: 'key' },
        { to: '/users', label: text('titles.users'), icon: 'people' },
      ],
    },
    ...modelGroups(models, text('menu.records')),
    {
      label: text('menu.settings'),
      places: [
        { to: '/roles', label: text('titles.roles'), icon: 'badge' },
        { to: '/permissions', label: text('titles.permissions'), icon: 'grid' },
        { to: '/explain', label: text('titles.explain'), icon: 'rule' },
      ],
    },
    {
      label: text('menu.watch'),
      places: [
        { to: '/applications', label: text('titles.applications'), icon: 'apps' },
        { to: '/payments', label: text('titles.payments'), icon: 'money' },
        ...webhooks,
        { to: '/jobs', label: text('titles.jobs'), icon: 'clock' },
        { to: '/routes', label: text('titles.routes'), icon: 'chart' },
        ...activity,
        { to: '/audit', label: text('titles.audit'), icon: 'history' },
        { to: '/service', label: text('titles.about'), icon: 'tool' },
      ],
    },
  ];
  const shown = known ? groups : groups.slice(0, 2);
  return { groups: shown.filter(({ places }) => places.length > 0), known };
};
