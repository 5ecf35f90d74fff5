import { createDataProvider, createTokenAccess, routesOf } from 'gatewright/react-admin';
import { createElement as h } from 'react';
import {
  Admin,
  ArrayInput,
  Datagrid,
  Edit,
  List,
  localStorageStore,
  NumberInput,
  ReferenceField,
  Resource,
  SimpleForm,
  SimpleFormIterator,
  TextField,
  TextInput,
} from 'react-admin';
import { createRoot } from 'react-dom/client';

// Orders with their customers and lines, by react-admin's own components; what the written file says of relations.
const resources = {
  customers: { singular: 'customer' },
  orders: {
    singular: 'order',
    relations: {
      customer: { resource: 'customers' },
      lines: { resource: 'order_lines', write: true },
    },
  },
  order_lines: { singular: 'order_line' },
};
const { send, authProvider } = createTokenAccess({ baseUrl: '', storage: sessionStorage });
const dataProvider = createDataProvider({ send, routeOf: routesOf(resources) });

const OrderList = () =>
  h(
    List,
    {
      queryOptions: { meta: { embed: ['user'], prefetch: ['customer'] } },
      filters: [
        h(TextInput, { key: 'country', source: 'customer.country', label: 'Country', alwaysOn: true }),
      ],
    },
    h(
      Datagrid,
      { bulkActionButtons: false },
      h(TextField, { source: 'number' }),
      h(TextField, { source: 'user.username', label: 'User' }),
      h(
        ReferenceField,
        {
          source: 'customer_id',
          reference: 'customers',
          link: false,
          sortBy: 'customer.name',
          label: 'Customer',
        },
        h(TextField, { source: 'name' }),
      ),
    ),
  );

const OrderEdit = () =>
  h(
    Edit,
    { mutationMode: 'pessimistic', redirect: false, queryOptions: { meta: { embed: ['lines'] } } },
    h(
      SimpleForm,
      {},
      h(TextInput, { source: 'number' }),
      h(
        ArrayInput,
        { source: 'lines' },
        h(
          SimpleFormIterator,
          { disableReordering: true, disableClear: true },
          h(NumberInput, { source: 'quantity' }),
        ),
      ),
    ),
  );

createRoot(document.querySelector('main')).render(
  h(
    Admin,
    { dataProvider, authProvider, requireAuth: true, disableTelemetry: true, store: localStorageStore() },
    h(Resource, { name: 'orders', list: OrderList, edit: OrderEdit }),
    h(Resource, { name: 'customers' }),
  ),
);
