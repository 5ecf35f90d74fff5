/** Metadata of the models for the administration pages: every field, and the endpoints of the area. */

import { adminAuth, administratorOnly, adminTag } from '../http/administration.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { type EntityParts, serveEntity } from '../http/entity-endpoint.ts';
import { type Languages, type Locale, labelText } from '../kernel/messages.ts';
import { referrersOf } from '../model/deletion.ts';
import type { Models } from '../model/models.ts';
import { openedModels } from '../model/opened-models.ts';
import { adminArea } from '../resources/admin-area.ts';
import { metadataEndpoint } from '../resources/meta.ts';
import { modelEntity } from './model-entity.ts';

/** Endpoints whose statements contain texts: one for each language, chosen by the caller's. */
const inLanguageOfCaller = (
  locale: Locale,
  { catalogues }: Languages,
  endpointsIn: (language: Locale) => readonly Endpoint[],
): Endpoint[] => {
  const byLanguage = new Map([...catalogues.keys()].map((language) => [language, endpointsIn(language)]));
  return endpointsIn(locale).map((endpoint, index) => ({
    ...endpoint,
    handle: (call) => (byLanguage.get(call.language)?.[index] ?? endpoint).handle(call),
  }));
};

export interface AdminMetaParts extends EntityParts {
  readonly languages: Languages;
  readonly locale: Locale;
}

/** The models as administrators see them: their list, and of each all fields and the endpoints of the area. */
export const adminMetaEndpoints = (
  services: AdminMetaParts,
  models: Models,
  served: readonly Endpoint[],
): Endpoint[] => {
  const { locale, languages } = services;
  const opened = openedModels(models.values());
  const entriesIn = (language: Locale) =>
    [...models.values()].map(({ name, label, pluralLabel, path, display, fields, events, icon, menu }) => ({
      model: name,
      label: labelText(label, language),
      plural_label: labelText(pluralLabel, language),
      path,
      display: display ?? null,
      fields: fields.size,
      opens: opened.get(name)?.length ?? 0,
      events,
      icon: icon ?? null,
      menu: menu === undefined ? null : labelText(menu, language),
    }));
  const listed = (language: Locale): Endpoint[] =>
    serveEntity(services, { entity: modelEntity(entriesIn(language)) });
  const lists =
    languages.choose === undefined ? listed(locale) : inLanguageOfCaller(locale, languages, listed);
  return [
    ...lists,
    ...[...models.values()].map((model) =>
      metadataEndpoint(
        model,
        { models, served },
        {
          area: adminArea,
          operation: `adminDescribe${model.name}`,
          path: `/admin/meta/${model.name}`,
          auth: adminAuth,
          policy: administratorOnly,
          tag: adminTag,
          opens: opened.get(model.name) ?? [],
          referrers: (['cascade', 'restrict', 'null'] as const).flatMap((onDelete) =>
            referrersOf(models, model.name, onDelete),
          ),
        },
        services.languages,
      ),
    ),
  ];
};
