/**
 * The parameters that every list takes alike, with their description. The API description and the reference read them;
 * `sort`, `q`, `include` and filters are described by the fields of each list.
 */

import type { JsonSchema } from '../../fields/field.ts';
import type { Label } from '../../kernel/messages.ts';

interface PlainParameter {
  readonly text: Exclude<Label, string>;
  readonly schema: JsonSchema;
}

export const plainParameters = {
  page: {
    text: {
      'zh-CN': '页码，从 1 起。每页条数默认 20',
      en: 'Page number, from 1; default page size 20',
    },
    schema: { type: 'integer', minimum: 1 },
  },
  per_page: {
    text: { 'zh-CN': '每页条数', en: 'Records per page' },
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
  },
  after: {
    text: {
      'zh-CN':
        '游标，取自 `Link` 响应头的 next 或 prev；空值从头开始，不计总数；与 `page` 互斥；不能用于按无长度上限的文本排序',
      en: 'Cursor from the `next` or `prev` link of a `Link` header. An empty value starts at the beginning; no total is returned. Not allowed with `page`, nor when sorting by texts without a maximum length',
    },
    schema: { type: 'string' },
  },
  total: {
    text: {
      'zh-CN':
        '分页的总数：`exact`（默认）全部计数；`estimate` 最多计到 10,000，由 `X-Total-Count-Relation` 说明是准确值还是下限；`none` 不计数，也没有末页链接。不分页或带 `after` 的列表没有总数',
      en: 'Total of a page: `exact` (default) counts all matching records; `estimate` counts up to 10,000, and `X-Total-Count-Relation` says whether that is all of them; `none` counts nothing, and there is no link to the last page. Lists without pages or with `after` have no total',
    },
    schema: { type: 'string', enum: ['exact', 'estimate', 'none'] },
  },
  fields: {
    text: {
      'zh-CN': '只返回这些字段，逗号分隔；模型的列表还可返回 `version`',
      en: 'Return only these fields, comma-separated; lists of a model also have `version`',
    },
    schema: { type: 'string' },
  },
} satisfies Readonly<Record<string, PlainParameter>>;

export type PlainParameterName = keyof typeof plainParameters;
