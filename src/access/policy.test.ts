import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadApplication } from '../app/application.ts';
import { readConfig } from '../app/config.ts';
import { endpointsOf } from '../app/describe.ts';
import type { Showing } from '../policy/rule.ts';
import { endpointAccess, pathOf } from '../resources/application-endpoints.ts';
import { apiArea } from '../resources/area.ts';
import { resourceAccess } from '../resources/resource-endpoints.ts';
import { applicationPolicy } from './application-policy.ts';
import { lockText } from './lock-file.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));

/** Methods and rule of an access, in a form that can be compared. */
const shown = ({ auth, policy }: Showing): unknown =>
  JSON.parse(
    JSON.stringify([auth, policy], (key, value) => {
      if (key === 'model') return value?.name;
      return value instanceof Map ? [...value] : value;
    }),
  );

describe('the policy of an application', () => {
  it.each(['clinic', 'newsroom', 'shop', 'teams'])(
    'the policy has the rules by which the service decides: %s',
    async (name) => {
      const application = await loadApplication(join(examples, name));
      const { models } = application;
      const served = await endpointsOf(application, readConfig({}));
      const found = (method: string, path: string) =>
        served.find((endpoint) => endpoint.method === method && endpoint.path === path);
      for (const model of models.values()) {
        const path = `/api/v1/${model.path}`;
        const endpoints = {
          list: found('GET', path),
          detail: found('GET', `${path}/:id`),
          history: found('GET', `${path}/:id/history`),
          create: found('POST', path),
          update: found('PATCH', `${path}/:id`),
          destroy: found('DELETE', `${path}/:id`),
          trash: found('GET', path)?.ofTrash,
        };
        const expected = Object.entries(endpoints).flatMap(([action, endpoint]) =>
          endpoint === undefined ? [] : [[action, shown(endpoint)]],
        );
        const access = resourceAccess(model, models, apiArea);
        expect(access.map(({ action, ...each }) => [action, shown(each)])).toEqual(expected);
      }
      for (const endpoint of application.endpoints) {
        const one = found(endpoint.method, pathOf(endpoint.path));
        expect(one).toBeDefined();
        if (one !== undefined) expect(shown(endpointAccess(endpoint))).toEqual(shown(one));
      }
    },
  );

  it.each(['clinic', 'newsroom', 'shop', 'teams'])(
    'the policy of an example is the one of its access.lock: %s',
    async (name) => {
      const text = lockText(applicationPolicy(await loadApplication(join(examples, name))));
      const file = await readFile(join(examples, name, 'access.lock'), 'utf8');
      // A test reads code in another form than Node does.
      const rules = (of: string) => of.split('\n').filter((line) => !/^(?:code|sha256) /.test(line));
      expect(rules(file)).toEqual(rules(text));
    },
  );
});
