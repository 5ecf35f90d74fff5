import { authenticate } from '@feathersjs/authentication';
import { passwordHash } from '@feathersjs/authentication-local';
import { KnexService } from '@feathersjs/knex';
import { hooks, resolve } from '@feathersjs/schema';
import { getValidator, querySyntax, Type } from '@feathersjs/typebox';
import { dataValidator, queryValidator } from '../validators.mjs';

const userSchema = Type.Object(
  { id: Type.Number(), email: Type.String(), password: Type.Optional(Type.String()) },
  { $id: 'User', additionalProperties: false },
);
const userDataSchema = Type.Pick(userSchema, ['email', 'password'], { $id: 'UserData' });
const userQuerySchema = Type.Intersect(
  [querySyntax(Type.Pick(userSchema, ['id', 'email'])), Type.Object({}, { additionalProperties: false })],
  { additionalProperties: false },
);

const external = resolve({ password: async () => undefined });
const data = resolve({ password: passwordHash({ strategy: 'local' }) });
const query = resolve({ id: async (value, _user, context) => context.params.user?.id ?? value });

export const users = (app) => {
  const options = { paginate: app.get('paginate'), Model: app.get('sqliteClient'), name: 'users' };
  app.use('users', new KnexService(options), { methods: ['find', 'get', 'create', 'patch', 'remove'] });
  app.service('users').hooks({
    around: {
      all: [hooks.resolveExternal(external), hooks.resolveResult(resolve({}))],
      find: [authenticate('jwt')],
      get: [authenticate('jwt')],
      create: [],
      patch: [authenticate('jwt')],
      remove: [authenticate('jwt')],
    },
    before: {
      all: [hooks.validateQuery(getValidator(userQuerySchema, queryValidator)), hooks.resolveQuery(query)],
      create: [hooks.validateData(getValidator(userDataSchema, dataValidator)), hooks.resolveData(data)],
    },
  });
};
