import { describe, expect, it } from 'vitest';
import { isSecretName, nameField, nameModel, nameReference, plainName, storedNameFlaw } from './names.ts';

const none = () => ({ models: new Set<string>(), singulars: new Set<string>(), plurals: new Set<string>() });

const named = (name: string, taken = none(), schema?: string) => nameModel({ schema, name }, taken);

describe('names for tables and columns', () => {
  it.each([
    ['orders', 'Order', 'order', 'orders', {}],
    ['order_lines', 'OrderLine', 'order_line', 'order_lines', {}],
    ['people', 'Person', 'person', 'people', {}],
    ['statuses', 'Status', 'status', 'statuses', {}],
    ['address', 'Address', 'address', 'addresses', {}],
    ['film_actor', 'FilmActor', 'film_actor', 'film_actors', {}],
    ['OrderItem', 'OrderItem', 'order_item', 'order_items', {}],
    ['Order Details', 'OrderDetail', 'order_detail', 'order_details', {}],
    ['staff', 'Staff', 'staff', 'staff', { plural: 'staff' }],
    ['indices', 'Indice', 'indice', 'indices', {}],
    ['news', 'News', 'news', 'news', { plural: 'news' }],
    ['_OrderToTag', 'OrderToTag', 'order_to_tag', 'order_to_tags', {}],
    ['order_2', 'Order2', 'order_2', 'order_2s', { singular: 'order_2' }],
    ['2fa_codes', 'Table2faCode', 'table_2fa_code', 'table_2fa_codes', { singular: 'table_2fa_code' }],
    ['Straße', 'StraE', 'stra_e', 'stra_es', {}],
    ['заказы', 'Table', 'table', 'tables', {}],
    ['users', 'AppUser', 'app_user', 'app_users', {}],
    ['User', 'AppUser', 'app_user', 'app_users', {}],
    ['api_keys', 'AppApiKey', 'app_api_key', 'app_api_keys', {}],
  ])('the table %s is the model %s', (table, model, singular, plural, said) => {
    expect(named(table)).toMatchObject({ model, singular, plural, said });
  });

  it('two tables never share a model, a file or a path', () => {
    const taken = none();
    const models = ['order', 'orders', 'Order', 'ORDERS'].map((name) => named(name, taken).model);
    expect(models).toEqual(['Order', 'AppOrder', 'App2Order', 'App3Order']);
    expect(taken.plurals.size).toBe(4);
  });

  it('a table of another schema has its name before a number', () => {
    const taken = none();
    named('orders', taken, 'public');
    expect(named('orders', taken, 'sales').model).toBe('SalesOrder');
  });

  it('the model of a very long name is one that models may have', () => {
    const { model, singular, plural } = named(`a${'_very'.repeat(12)}_long_tables`);
    expect([model.length < 48, singular.length < 48, plural.length < 49]).toEqual([true, true, true]);
  });

  it.each([
    ['createdOn', 'created_on'],
    ['customerID', 'customer_id'],
    ['HTTPStatus', 'http_status'],
    ['a  b--c', 'a_b_c'],
    ['prix_été', 'prix_ete'],
    ['日本', 'column'],
    ['9lives', 'column_9lives'],
    ['__x__', 'x'],
  ])('the column %s is called %s', (column, name) => {
    expect(plainName(column, 'column')).toBe(name);
  });

  it.each([
    ['id', 'id_value'],
    ['version', 'version_value'],
    ['created_at', 'created_at_value'],
    ['constructor', 'constructor_value'],
    ['xmin', 'xmin_value'],
    ['total', 'total'],
  ])('a field for %s is called %s, as models may have it', (name, expected) => {
    expect(nameField(name, new Set())).toBe(expected);
  });

  it('fields of one name get different ones, and references end as references do', () => {
    const taken = new Set<string>();
    expect(['a', 'a', 'a'].map((name) => nameField(name, taken))).toEqual(['a', 'a_value', 'a_2']);
    expect(['author', 'author_id'].map((name) => nameReference(name, taken))).toEqual([
      'author_id',
      'author_2_id',
    ]);
  });

  it.each([
    ...['password', 'password_digest', 'encrypted_password', 'passwordHash', 'reset_password_token', 'token'],
    ...['api_key', 'otp_secret', 'PrivateKey', 'salt', 'session_key', 'confirmationToken', 'user_pwd'],
  ])('%s holds a secret', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['password_changed_at', 'tokens_used', 'secretary', 'passport', 'keyboard', 'api_key_id', 'salty'])(
    '%s holds none',
    (name) => expect(isSecretName(name)).toBe(false),
  );

  it('names that no model can write are known', () => {
    expect(
      ['a"b', ' ', 'é'.repeat(32), 'OID', 'rowid'].map((name) => storedNameFlaw(name) !== undefined),
    ).toEqual(Array.from({ length: 5 }, () => true));
    expect(storedNameFlaw('Order Details')).toBeUndefined();
  });
});
