import Form from '@rjsf/core';
import validator from '@rjsf/validator-ajv8';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

// A page that knows nothing of any model: it asks for the metadata, renders the form that it describes with
// react-jsonschema-form as it comes, and sends what the form submits. `?id=` is for an update.
const { token, model, id } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

const ask = async (method, path, body) => {
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, ...(await answer.json()) };
};

const { data: metadata } = await ask('GET', `/api/v1/meta/${model}`);
const action = id === undefined ? 'create' : 'update';
const endpoint = (name) => metadata.endpoints.find((each) => each.action === name);
const path = (name) => endpoint(name).path.replace(':id', id);

const schema = metadata.schemas[action];
const within = metadata.relations.filter(({ name }) => name in schema.properties).map(({ name }) => name);
const query = within.length === 0 ? '' : `?include=${within.join(',')}`;
const record = id === undefined ? {} : (await ask('GET', path('detail') + query)).data;
const formData = Object.fromEntries(
  Object.keys(schema.properties).flatMap((name) => (name in record ? [[name, record[name]]] : [])),
);

const submit = async ({ formData: values }) => {
  window.sent = values;
  window.answer = await ask(endpoint(action).method, path(action), { [metadata.singular]: values });
};

createRoot(document.querySelector('main')).render(
  createElement(Form, { schema, uiSchema: metadata.uiSchema, formData, validator, onSubmit: submit }),
);
