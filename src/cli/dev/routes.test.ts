import { describe, expect, it } from 'vitest';
import { createApplication } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import { endpointsOf } from '../../app/describe.ts';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import { anyOf, equals, own } from '../../model/row-rule.ts';
import { routeLines } from './routes.ts';

const fields = { title: field.string(), user_id: field.owner() };

const application = createApplication({
  resources: [
    defineResource('Note', { fields }),
    defineResource('Diary', { fields, plural: 'diaries', isolation: true }),
    defineResource('Sheet', {
      fields,
      isolation: { read: 'everyone', write: anyOf(own(), equals('title', 'wiki')) },
    }),
    defineResource('Leaf', {
      fields,
      isolation: { read: 'everyone', write: own(), update: equals('title', 'wiki') },
    }),
  ],
});

describe('routes as dev lists them', () => {
  it('routes as dev lists them say what the rules leave open, by what each action does with rows', async () => {
    const lines = routeLines(await endpointsOf(application, readConfig({})), '');
    const open = (method: string, path: string) =>
      lines
        .find((line) => line.trim().split(/ +/).slice(0, 2).join(' ') === `${method} ${path}`)
        ?.split(/ jwt +/)[1] ?? '';
    expect(open('GET', '/api/v1/notes')).toBe("no permission check, everybody's records");
    expect(open('POST', '/api/v1/notes')).toBe('no permission check');
    expect(open('PATCH', '/api/v1/diaries/:id')).toBe('no permission check');
    expect(open('GET', '/api/v1/sheets')).toBe("no permission check, everybody's records");
    expect(open('POST', '/api/v1/sheets')).toBe('no permission check');
    for (const method of ['PATCH', 'DELETE'])
      expect(open(method, '/api/v1/sheets/:id')).toBe("no permission check, everybody's: title = wiki");
    expect(open('PATCH', '/api/v1/leaves/:id')).toBe("no permission check, everybody's: title = wiki");
    expect(open('DELETE', '/api/v1/leaves/:id')).toBe('no permission check');
  });

  it('routes as dev lists them warn about isolation without ownership', async () => {
    const lines = routeLines(await endpointsOf(application, readConfig({})), '');
    expect(lines.filter((line) => line.startsWith('Warning:'))).toEqual([
      expect.stringContaining('Diary: isolation without ownership'),
    ]);
  });
});
