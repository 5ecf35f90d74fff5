import { createDataProvider, createTokenAccess, routesOf } from 'gatewright/react-admin';
import { createElement as h } from 'react';
import {
  Admin,
  Create,
  EditGuesser,
  ListGuesser,
  localStorageStore,
  NumberInput,
  Resource,
  required,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextInput,
} from 'react-admin';
import { createRoot } from 'react-dom/client';

// An application as react-admin's own tutorial begins one: its components as they come, the providers of this package.
const { send, authProvider } = createTokenAccess({ baseUrl: '', storage: sessionStorage });
const dataProvider = createDataProvider({ send, routeOf: routesOf({ orders: { singular: 'order' } }) });

const statuses = ['pending', 'paid', 'cancelled'].map((id) => ({ id, name: id }));

const filters = [
  h(SearchInput, { key: 'q', source: 'q', alwaysOn: true }),
  h(SelectInput, { key: 'status', source: 'status', choices: statuses, alwaysOn: true }),
  h(NumberInput, { key: 'amount', source: 'amount@gte', label: 'At least', alwaysOn: true }),
];

const OrderList = () => h(ListGuesser, { filters, sort: { field: 'id', order: 'DESC' } });

// Undoable, as it is otherwise, a form has closed before the service can refuse anything.
const OrderEdit = () => h(EditGuesser, { mutationMode: 'pessimistic' });

const OrderCreate = () =>
  h(
    Create,
    { redirect: 'list' },
    h(
      SimpleForm,
      {},
      h(TextInput, { source: 'number', validate: required() }),
      h(NumberInput, { source: 'amount' }),
      h(SelectInput, { source: 'status', choices: statuses, defaultValue: 'pending' }),
    ),
  );

createRoot(document.querySelector('main')).render(
  h(
    Admin,
    { dataProvider, authProvider, requireAuth: true, disableTelemetry: true, store: localStorageStore() },
    h(Resource, { name: 'orders', list: OrderList, edit: OrderEdit, create: OrderCreate }),
    h(Resource, { name: 'users', list: ListGuesser }),
  ),
);
