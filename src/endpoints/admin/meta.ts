import type { Endpoint } from '../../http/endpoint.ts';
import { labelText } from '../../kernel/messages/messages.ts';
import { referrersOf } from '../../model/deletion.ts';
import type { Models } from '../../model/models.ts';
import { openedModels } from '../../model/opened-models.ts';
import { modelEntity } from '../../service/models/entity.ts';
import { serveEntity } from '../entity.ts';
import { metadataEndpoint } from '../meta/meta.ts';
import type { Services } from '../services.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';
import { adminArea } from './records.ts';

/** The models as administrators see them: their list, and of each all fields and the endpoints of the area. */
export const adminMetaEndpoints = (
  services: Services,
  models: Models,
  served: readonly Endpoint[],
): Endpoint[] => {
  const { locale } = services;
  const opened = openedModels(models.values());
  const entries = [...models.values()].map(({ name, label, path, fields, events, icon, menu }) => ({
    model: name,
    label: labelText(label, locale),
    path,
    fields: fields.size,
    opens: opened.get(name)?.length ?? 0,
    events,
    icon: icon ?? null,
    menu: menu === undefined ? null : labelText(menu, locale),
  }));
  return [
    ...serveEntity(services, { entity: modelEntity(entries) }),
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
        locale,
      ),
    ),
  ];
};
