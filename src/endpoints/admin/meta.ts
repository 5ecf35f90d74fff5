import type { Endpoint } from '../../http/endpoint.ts';
import { labelText } from '../../kernel/messages/messages.ts';
import { modelFields, modelSource } from '../../store/tables/model-source.ts';
import { listEndpoint } from '../list-endpoint.ts';
import { metadataEndpoint } from '../meta/meta.ts';
import { modelEntrySchema } from '../meta/meta-schema.ts';
import type { Services } from '../services.ts';
import { adminAuth, administratorOnly, administratorReads, adminTag } from './area.ts';

/** The models as administrators see them: their list, and of each all fields and the endpoints of the area. */
export const adminMetaEndpoints = (services: Services, served: readonly Endpoint[]): Endpoint[] => {
  const { locale } = services;
  const models = [...services.resources.values()].map(({ model }) => model);
  const entries = models.map(({ name, label, path, fields }) => ({
    model: name,
    label: labelText(label, locale),
    path,
    fields: fields.size,
  }));
  return [
    listEndpoint(services, modelSource(entries), {
      operation: 'listModels',
      path: '/admin/meta',
      auth: adminAuth,
      policy: administratorReads(modelFields),
      docs: { summary: { 'zh-CN': '模型列表', en: 'List models' }, tag: adminTag, data: modelEntrySchema },
    }),
    ...models.map((model) =>
      metadataEndpoint(
        model,
        served,
        {
          area: 'admin',
          operation: `adminDescribe${model.name}`,
          path: `/admin/meta/${model.name}`,
          auth: adminAuth,
          policy: administratorOnly,
          tag: adminTag,
        },
        locale,
      ),
    ),
  ];
};
