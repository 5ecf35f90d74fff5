import { authenticate } from '@feathersjs/authentication';
import { KnexService } from '@feathersjs/knex';
import { hooks, resolve, virtual } from '@feathersjs/schema';
import { getValidator, querySyntax, StringEnum, Type } from '@feathersjs/typebox';
import { dataValidator, queryValidator } from '../validators.mjs';

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.String(),
  stock: Type.Integer(),
  price: Type.Number(),
  rating: Type.Number(),
  active: Type.Boolean(),
  category: StringEnum(['tools', 'toys', 'books', 'food']),
  released_at: Type.String({ format: 'date-time' }),
};
const productSchema = Type.Object(
  { id: Type.Number(), ...fields, created_at: Type.String(), updated_at: Type.String() },
  { $id: 'Product', additionalProperties: false },
);
const productDataSchema = Type.Object(fields, { $id: 'ProductData', additionalProperties: false });
const productQuerySchema = Type.Intersect(
  [querySyntax(productSchema), Type.Object({}, { additionalProperties: false })],
  { additionalProperties: false },
);

// SQLite has no booleans.
const result = resolve({ active: virtual(async ({ active }) => Boolean(active)) });
const now = async () => new Date().toISOString();
const data = resolve({ created_at: now, updated_at: now });

export const products = (app) => {
  const options = { paginate: app.get('paginate'), Model: app.get('sqliteClient'), name: 'products' };
  app.use('products', new KnexService(options), { methods: ['find', 'get', 'create', 'patch', 'remove'] });
  app.service('products').hooks({
    around: {
      all: [authenticate('jwt'), hooks.resolveExternal(resolve({})), hooks.resolveResult(result)],
    },
    before: {
      all: [
        hooks.validateQuery(getValidator(productQuerySchema, queryValidator)),
        hooks.resolveQuery(resolve({})),
      ],
      create: [hooks.validateData(getValidator(productDataSchema, dataValidator)), hooks.resolveData(data)],
    },
  });
};
