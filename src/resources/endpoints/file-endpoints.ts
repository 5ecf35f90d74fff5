/** The endpoints of one file field: its bytes under the path of their record, at once or in parts. */

import type { StoredFiles } from '../../files/files.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { type Label, labelText } from '../../kernel/messages.ts';
import { inSentence, joinParts } from '../../kernel/spacing.ts';
import type { ModelField } from '../../model/resource.ts';
import type { FileArea, ServedResource, SharedByAction } from '../operations/served-resource.ts';
import { FileOfRecord } from './file-of-record.ts';
import { PartUploads, partEndpoints } from './part-uploads.ts';
import { recordChecks } from './record-checks.ts';

/** `blog_posts` and `cover_image` → `BlogPostCoverImage`, for the names of operations. */
const nounOf = (model: string, field: string): string =>
  model +
  field
    .split('_')
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join('');

/** The endpoints of a field whose values are files. */
export const fileEndpoints = (
  files: StoredFiles,
  resource: ServedResource,
  field: ModelField,
  area: FileArea,
  common: SharedByAction,
): readonly Endpoint[] => {
  const { model, context } = resource;
  const file = new FileOfRecord(files, resource, field, area);
  const parts = new PartUploads(files, resource, field, file);
  const noun = nounOf(model.name, field.name);
  const title = (chinese: string, english: string): Label => ({
    'zh-CN': joinParts([chinese, labelText(field.label, 'zh-CN')]),
    en: `${english} ${inSentence(labelText(field.label, 'en'))}`,
  });
  const { reaches, writes } = recordChecks(resource);
  const of = {
    source: model.name,
    path: `${area.path(model)}/:id/${field.name}`,
    reaches,
  };
  const about = { tag: area.tag(model, context.locale), part: 'file' } as const;
  const data = { title: 'StoredFile', ...field.type.output?.(field.options, context.locale) };
  const types = field.type.uploads?.(field.options).types;
  const read: Endpoint = {
    ...of,
    ...common('detail'),
    operation: area.operation('download', noun),
    method: 'GET',
    accepts: 'nothing',
    docs: {
      summary: title('下载', 'Download'),
      ...about,
      etag: true,
      media: 'application/octet-stream',
      problems: ['record_not_found', 'range_not_satisfiable', 'overloaded'],
    },
    handle: (call) => file.read(call),
  };
  if (model.stored.readOnly === true) return [read];
  const write: Endpoint = {
    ...of,
    ...common('update'),
    operation: area.operation('upload', noun),
    method: 'PUT',
    accepts: 'bytes',
    docs: {
      summary: title('上传', 'Upload'),
      ...about,
      data,
      etag: true,
      ifMatch: true,
      bodyTypes: types,
      problems: ['record_not_found', 'stale', 'body_too_large', 'invalid_record', 'overloaded'],
    },
    handle: (call) => file.write(call),
    writes,
  };
  const remove: Endpoint = {
    ...of,
    ...common('update'),
    operation: area.operation('remove', noun),
    method: 'DELETE',
    accepts: 'nothing',
    docs: {
      summary: title('移除', 'Remove'),
      ...about,
      ifMatch: true,
      problems: ['record_not_found', 'stale', 'invalid_record'],
    },
    handle: (call) => file.remove(call),
    writes,
  };
  return [read, write, remove, ...partEndpoints(parts, { of, common, noun, title, about, data }, area)];
};
